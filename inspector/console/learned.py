"""What was learned: candidates with their verdicts, rules, and how changes are to be taken."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from consolidation.models import Candidate
from inspector.console.asked import asked_of, rows_of
from inspector.console.door import agent_for, may, staff, visible_agents
from inspector.console.forms import PolicyForm
from inspector.console.meanings import ACTIONS, REASONS, of_reason
from inspector.http import PageRequest
from inspector.whose import note_looks
from knowledge.changes.approval import CATEGORIES, NewPolicy, set_policies
from knowledge.models import ApprovalPolicy, Rule


@require_GET
@staff
def candidate_list(request: PageRequest) -> HttpResponse:
    """Show each verdict of the gate and why; what was said is not here."""
    asked = asked_of(request.user, request.GET)
    state, code = request.GET.get("state", ""), request.GET.get("code", "")
    found = Candidate.objects.filter(session__owner__agent__in=asked.agents).defer(
        "payload", "reason"
    )
    if state in Candidate.State.values:
        found = found.filter(state=state)
    if code in REASONS:
        found = found.filter(code=code)
    rows = found.select_related("session__owner__agent")
    listed = rows_of(rows, request.GET.get("before", ""))
    context = {
        "section": "candidates",
        "asked": asked,
        "state": state,
        "states": Candidate.State.values,
        "code": code,
        "codes": REASONS,
        "listed": listed,
        "candidates": [
            (one, ACTIONS[one.action], of_reason(one.code), of_reason(one.outcome))
            for one in listed.rows
            if isinstance(one, Candidate)
        ],
    }
    return render(request, "console/candidates.html", context)


@require_GET
@staff
def rule_list(request: PageRequest) -> HttpResponse:
    """Show the rules in force, or those that are no more; that they were read is noted."""
    asked = asked_of(request.user, request.GET)
    found = Rule.objects.filter(owner__agent__in=asked.agents).select_related("owner__agent")
    is_archive = request.GET.get("show") == "archived"
    active = Rule.objects.active().values("pk")
    found = found.exclude(pk__in=active) if is_archive else found.active()
    listed = rows_of(found, request.GET.get("before", ""))
    rules = [one for one in listed.rows if isinstance(one, Rule)]
    note_looks(request.user, {one.owner_id for one in rules}, "rules")
    context = {"section": "rules", "asked": asked, "is_archive": is_archive, "listed": listed}
    return render(request, "console/rules.html", context | {"rules": rules})


@require_GET
@staff
def policy_list(request: PageRequest) -> HttpResponse:
    """Show the agents, each with the categories that are not automatic."""
    agents = list(visible_agents(request.user)[:200])
    found = ApprovalPolicy.objects.filter(agent__in=agents, owner=None).exclude(mode="automatic")
    by: dict[UUID, list[ApprovalPolicy]] = {one.pk: [] for one in agents}
    for policy in found.order_by("category"):
        by[policy.agent_id].append(policy)
    context = {"section": "policies", "agents": [(one, by[one.pk]) for one in agents]}
    return render(request, "console/policies.html", context)


@require_http_methods(["GET", "POST"])
@staff
def policy_detail(request: PageRequest, agent: UUID) -> HttpResponse:
    """Show and set an agent's policies, one for each category."""
    found = agent_for(request.user, agent)
    if request.method == "POST":
        may(request, "knowledge.change_approvalpolicy")
        form = PolicyForm(request.POST)
        if form.is_valid():
            given = form.cleaned_data
            policies = [
                NewPolicy(one, given[f"{one}.mode"], given[f"{one}.least"]) for one in CATEGORIES
            ]
            set_policies(agent=found, owner=None, policies=policies, actor=str(request.user))
            messages.success(request, "The policies are set.")
            return redirect("console-policies")
    else:
        form = PolicyForm(initial=_initial(found.pk))
    context = {"section": "policies", "agent": found, "form": form}
    return render(request, "console/policy.html", context, status=422 if form.errors else 200)


def _initial(agent: UUID) -> dict[str, str]:
    known = {one.category: one for one in ApprovalPolicy.objects.filter(agent=agent, owner=None)}
    found: dict[str, str] = {}
    for category in CATEGORIES:
        policy = known.get(category, ApprovalPolicy(category=category))
        found |= {f"{category}.mode": policy.mode, f"{category}.least": policy.least_confidence}
    return found
