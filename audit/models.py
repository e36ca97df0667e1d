"""Ledgers: who did what to whom, and what each call of a model cost."""

from django.db import models
from django.db.models import Q


class AuditEntry(models.Model):
    """Codes and ids only, never content: the entry stays when what it names is erased."""

    actor = models.CharField(max_length=200)
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=200)
    detail = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = (
            models.Index(fields=("-at",), name="audit_entry_at"),
            models.Index(
                fields=("action", "-at"),
                condition=Q(action__in=("backup.made", "restore.loaded", "restore.done")),
                name="audit_entry_backups",
            ),
        )

    def __str__(self) -> str:
        return f"{self.actor} {self.action} {self.subject}"


class CostEntry(models.Model):
    """One call that is paid for. It names by ids what it was for, and outlives it.

    Entered at an estimate before the call, settled after it; one that nobody settles keeps the
    estimate. Outside of any memory it is the installation's own, without an organization.
    """

    class State(models.TextChoices):
        RESERVED = "reserved"
        SETTLED = "settled"
        REFUSED = "refused"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    organization = models.UUIDField(null=True)
    agent = models.UUIDField(null=True)
    owner = models.IntegerField(null=True)
    user = models.UUIDField(null=True)
    session = models.UUIDField(null=True)
    purpose = models.CharField(max_length=40)
    provider = models.CharField(max_length=40)
    model = models.CharField(max_length=200)
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    embedding_tokens = models.BigIntegerField(default=0)
    price_version = models.CharField(max_length=40)
    is_unpriced = models.BooleanField(default=False, help_text="No price is known of the model.")
    micro_usd = models.DecimalField(
        max_digits=24, decimal_places=6, help_text="Millionths of a dollar."
    )
    state = models.CharField(max_length=8, choices=State)
    day = models.DateField(help_text="In UTC: the day of the budgets that it is taken from.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "cost entries"
        constraints = (
            models.UniqueConstraint(
                fields=("owner", "purpose", "model", "day"),
                condition=Q(state="refused"),
                name="cost_refused_once",
            ),
        )
        indexes = (
            models.Index(fields=("day", "organization"), name="cost_by_day"),
            models.Index(
                fields=("created_at",), condition=Q(state="reserved"), name="cost_unsettled"
            ),
        )

    def __str__(self) -> str:
        return f"{self.purpose} {self.model} {self.micro_usd}"
