"""The ledger of paid calls, and the limits: budgets per day, balances of users."""

from collections.abc import Sequence
from decimal import Decimal

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.credits import set_balance, set_budget, today
from accounts.models import Balance, Budget, Organization, User
from audit.costs import By, totals
from audit.models import CostEntry
from consolidation.embedding.credit import resume
from inspector.console.asked import asked_of, rows_of
from inspector.console.door import agent_for, may, staff, visible_agents
from inspector.console.forms import BudgetLimitForm
from inspector.http import PageRequest

MICRO = Decimal(1_000_000)


@require_GET
@staff
def costs(request: PageRequest) -> HttpResponse:
    """Show the ledger of some days, added up and entry by entry, and the limits."""
    asked = asked_of(request.user, request.GET)
    found = CostEntry.objects.filter(agent__in=asked.agents, day__range=(asked.first, asked.last))
    budgets = Budget.objects.filter(organization__in=_organizations(request.user))
    balances = Balance.objects.filter(user__organization__in=_organizations(request.user))
    by = (
        By.PURPOSE
        if request.GET.get("by") not in {one.value for one in By}
        else By(request.GET["by"])
    )
    names: dict[object, str] = {one.pk: one.slug for one in asked.known}
    context = {
        "section": "costs",
        "asked": asked,
        "by": by.value,
        "ways": [one.value for one in By],
        "totals": [
            (names.get(one.key, one.key), one, one.micro_usd / MICRO)
            for one in totals(found, by)[:100]
        ],
        "listed": (listed := rows_of(found, request.GET.get("before", ""))),
        "entries": [
            (row, names.get(row.agent), row.micro_usd / MICRO)
            for row in listed.rows
            if isinstance(row, CostEntry)
        ],
        "budgets": [
            (one, max(one.left(today()), Decimal(0)) / MICRO, one.micro_usd / MICRO)
            for one in budgets.select_related("agent", "user").order_by("pk")[:100]
        ],
        "balances": [
            (one, one.micro_usd / MICRO)
            for one in balances.select_related("user").order_by("user")[:100]
        ],
    }
    return render(request, "console/costs.html", context)


@require_POST
@staff
def budget_set(request: PageRequest) -> HttpResponse:
    """Set what may be spent per day of an agent, a user, both or the organization."""
    may(request, "accounts.change_budget")
    form = BudgetLimitForm(request.POST)
    if not form.is_valid():
        return _refused(request, form)
    given = form.cleaned_data
    agent = agent_for(request.user, given["agent"]) if given["agent"] else None
    organization = agent.organization if agent else _organization(request.user)
    set_budget(
        organization=organization,
        agent=agent,
        user=_user([organization.pk], given["user"]) if given["user"] else None,
        micro_usd=_micro(given["dollars"]),
        actor=str(request.user),
    )
    resume()
    messages.success(request, "The budget is set.")
    return redirect("console-costs")


@require_POST
@staff
def balance_set(request: PageRequest) -> HttpResponse:
    """Set what a user may still spend."""
    may(request, "accounts.change_balance")
    form = BudgetLimitForm(request.POST)
    if not form.is_valid():
        return _refused(request, form)
    user = _user(_organizations(request.user), form.cleaned_data["user"])
    amount = _micro(form.cleaned_data["dollars"])
    set_balance(user=user, micro_usd=amount, actor=str(request.user))
    resume()
    messages.success(request, "The balance is set.")
    return redirect("console-costs")


def _refused(request: PageRequest, form: BudgetLimitForm) -> HttpResponse:
    for name, faults in form.errors.items():
        messages.error(request, f"{name.capitalize()}: {' '.join(str(one) for one in faults)}")
    return redirect("console-costs")


def _micro(dollars: Decimal | None) -> Decimal | None:
    return None if dollars is None else dollars * MICRO


def _organizations(person: User) -> list[object]:
    return list(visible_agents(person).order_by().values_list("organization", flat=True).distinct())


def _organization(person: User) -> Organization:
    if person.organization is None:
        raise Http404
    return person.organization


def _user(organizations: Sequence[object], external_id: str) -> User:
    found: User = get_object_or_404(User, organization__in=organizations, external_id=external_id)
    return found
