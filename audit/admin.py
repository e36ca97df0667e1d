from django.contrib import admin
from django.http import HttpRequest

from audit.models import AuditEntry
from audit.tenancy import TenantAdmin


class ReadOnlyAdmin(TenantAdmin):
    """Rows that the system writes: an operator looks, and changes nothing."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object | None = None) -> bool:
        return False


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor", "action", "subject")
    list_filter = ("action",)
    search_fields = ("actor", "subject")
    date_hierarchy = "at"
