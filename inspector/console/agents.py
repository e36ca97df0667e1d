"""Agents: their settings, keys, budget, and the stop."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.agents import configure_agent
from accounts.keys import issue_key, revoke_key
from accounts.models import Agent, ApiKey
from consolidation.intake.closing import stop_agent
from inspector.console.door import agent_for, may, staff, visible_agents
from inspector.console.forms import AgentForm, KeyForm
from inspector.http import PageRequest
from memory.models import Session


@require_GET
@staff
def agent_list(request: PageRequest) -> HttpResponse:
    agents = visible_agents(request.user)[:200]
    return render(request, "console/agents.html", {"section": "agents", "agents": agents})


@require_http_methods(["GET", "POST"])
@staff
def agent_detail(request: PageRequest, agent: UUID) -> HttpResponse:
    """Show an agent and change its settings; a wrong value is told beside its field."""
    found = agent_for(request.user, agent)
    if request.method == "GET":
        return _shown(request, found, AgentForm(instance=found), KeyForm())
    may(request, "accounts.change_agent")
    form = AgentForm(request.POST, instance=found)
    if not form.is_valid():
        return _shown(request, agent_for(request.user, agent), form, KeyForm(), status=422)
    if form.changes:
        configure_agent(agent=found, actor=str(request.user), fields=form.changes)
    messages.success(request, f"{len(form.changes)} settings changed.")
    return redirect("console-agent", agent=found.pk)


@require_POST
@staff
def key_issue(request: PageRequest, agent: UUID) -> HttpResponse:
    """Issue a key and show it in this answer alone."""
    may(request, "accounts.add_apikey")
    found, form = agent_for(request.user, agent), KeyForm(request.POST)
    if not form.is_valid():
        return _shown(request, found, AgentForm(instance=found), form, status=422)
    issued = issue_key(
        organization=found.organization,
        agent=found,
        actor=str(request.user),
        name=form.cleaned_data["name"],
        days=form.cleaned_data["days"],
    )
    context = {"section": "agents", "agent": found, "issued": issued}
    return render(request, "console/key.html", context)


@require_POST
@staff
def key_revoke(request: PageRequest, agent: UUID, key: UUID) -> HttpResponse:
    may(request, "accounts.add_apikey")
    found = get_object_or_404(ApiKey, pk=key, agent=agent_for(request.user, agent))
    revoke_key(key=found, actor=str(request.user))
    messages.success(request, f"The key {found} is revoked.")
    return redirect("console-agent", agent=agent)


@require_http_methods(["GET", "POST"])
@staff
def agent_stop(request: PageRequest, agent: UUID) -> HttpResponse:
    """Ask first, then end all open sessions of an agent."""
    may(request, "memory.change_session")
    found = agent_for(request.user, agent)
    if request.method == "GET":
        count = Session.objects.open().filter(owner__agent=found).count()
        context = {"section": "agents", "agent": found, "count": count}
        return render(request, "console/agent_stop.html", context)
    ended = stop_agent(agent=found, actor=str(request.user))
    messages.success(request, f"{ended} sessions end, each in full.")
    return redirect("console-agent", agent=found.pk)


def _shown(
    request: PageRequest, agent: Agent, form: AgentForm, key: KeyForm, status: int = 200
) -> HttpResponse:
    context = {
        "section": "agents",
        "agent": agent,
        "form": form,
        "key_form": key,
        "keys": ApiKey.objects.filter(agent=agent).defer("digest").order_by("-pk")[:50],
    }
    return render(request, "console/agent.html", context, status=status)
