"""Who did what to whom: one row per privileged act."""

from django.db import models


class AuditEntry(models.Model):
    """Codes and ids only, never content: the entry stays when what it names is erased."""

    actor = models.CharField(max_length=200)
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=200)
    detail = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = (models.Index(fields=("-at",), name="audit_entry_at"),)

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.subject}"
