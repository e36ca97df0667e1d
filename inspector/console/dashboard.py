"""The first page: health before everything else."""

from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.credits import today
from accounts.models import Budget
from audit.backups import last_backup
from audit.log import record
from consolidation.models import ContextEvent
from consolidation.profile.failure import put_back
from inspector.console import health
from inspector.console.asked import DateRange, asked_of
from inspector.console.door import may, staff, visible_agents
from inspector.console.growth import charts_of, reasons, tallies
from inspector.console.meanings import of_error, of_reason
from inspector.http import PageRequest

MICRO = 1_000_000


@require_GET
@staff
def dashboard(request: PageRequest) -> HttpResponse:
    """Show how the work stands, then how memory grows, costs and serves."""
    asked, keeps = asked_of(request.user, request.GET), request.user.is_superuser
    tallied = tallies(asked)
    context = {
        "section": "health",
        "asked": asked,
        "queue": health.queue(),
        "oldest": health.oldest_due() if keeps else None,
        "dead": [(job, of_error(job.last_error_code)) for job in health.dead_jobs()]
        if keeps
        else [],
        "keeps": keeps,
        "backlog": health.backlog(asked.agents),
        "aside": [(one, of_error(one.error_code)) for one in health.set_aside(asked.agents)],
        "waiting": health.waiting_changes(asked.agents),
        "most": health.MOST_WAITING,
        "backup": last_backup(),
        "budgets": _budgets(asked),
        "charts": charts_of(asked, tallied),
        "reasons": [(code, of_reason(code), count) for code, count in reasons(tallied)],
    }
    return render(request, "console/dashboard.html", context)


@require_POST
@staff
def event_put_back(request: PageRequest, event: UUID) -> HttpResponse:
    """Have an observation that was set aside tried again."""
    may(request, "consolidation.change_job")
    mine = ContextEvent.objects.filter(owner__agent__in=visible_agents(request.user).values("pk"))
    found = get_object_or_404(mine.only("pk"), pk=event)
    with transaction.atomic():
        count = put_back([found.pk])
        if count:
            who = str(request.user)
            record(actor=who, action="observations.put_back", subject=str(found.pk))
    said = "The observation is tried again." if count else "It was not set aside any more."
    messages.success(request, said)
    return redirect("console")


def _budgets(asked: DateRange) -> list[tuple[Budget, float, float]]:
    """Return the budgets with what is left of them and what they are, in dollars."""
    organizations = {one.organization_id for one in asked.known}
    found = Budget.objects.filter(organization__in=organizations).select_related("agent", "user")
    rows = found.order_by("pk")[:25]
    return [
        (one, max(0.0, float(one.left(today()))) / MICRO, float(one.micro_usd) / MICRO)
        for one in rows
    ]
