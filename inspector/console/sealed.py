"""The sealed ledgers: no page reads them. This one says how they are read, and who has."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from audit.models import AuditEntry
from inspector.console.asked import rows_of
from inspector.console.door import keeper, may
from inspector.http import PageRequest

ACTIONS = [f"{name}.{act}" for name in ("crisis", "feedback") for act in
           ("read", "purge", "hold", "anonymise")]  # fmt: skip


@require_GET
@keeper
def sealed(request: PageRequest) -> HttpResponse:
    """Show each look at crises and feedback with its reason, to those who may read the audit."""
    may(request, "audit.view_auditentry")
    listed = rows_of(AuditEntry.objects.filter(action__in=ACTIONS), request.GET.get("before", ""))
    return render(request, "console/sealed.html", {"section": "sealed", "listed": listed})
