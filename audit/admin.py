from django.contrib import admin
from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from audit.models import AuditEntry, CostEntry
from audit.tenancy import TenantAdmin

MILLION = 1_000_000


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


@admin.register(CostEntry)
class CostEntryAdmin(ReadOnlyAdmin):
    """Paid calls; above the list stands what those that are shown cost together."""

    organization = "organization"
    list_display = ("created_at", "purpose", "model", "micro_usd", "state", "is_unpriced")
    list_filter = ("state", "purpose", "model", "is_unpriced")
    date_hierarchy = "created_at"

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        response: HttpResponse = super().changelist_view(request, extra_context)
        if isinstance(response, TemplateResponse) and response.context_data:
            shown = response.context_data["cl"].queryset
            found = shown.aggregate(calls=Count("pk"), sum=Sum("micro_usd", default=0))
            said = f"{found['calls']} calls, {found['sum'] / MILLION:.6f} US dollars"
            response.context_data["subtitle"] = said
        return response
