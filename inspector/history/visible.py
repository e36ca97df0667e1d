"""Whose changes the console shows: those of the organization's agents."""

from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import Owner, User
from inspector.console.door import visible_agents
from knowledge.models import Changeset


def runs_of(person: User) -> QuerySet[Changeset]:
    agents = visible_agents(person).order_by().values("pk")
    rows: QuerySet[Changeset] = Changeset.objects.filter(owner__agent__in=agents)
    return rows.filter(owner__erasure=None).select_related("owner__agent")


def run_for(person: User, run: UUID) -> Changeset:
    """Return a run that the person may see. Raises Http404 for any other."""
    rows = runs_of(person).select_related("owner__agent", "reverts", "reverted_by")
    found: Changeset = get_object_or_404(rows, pk=run)
    return found


def kept_owner(person: User, owner: int) -> Owner:
    """Return an owner of the organization's agents. Raises Http404 for any other."""
    agents = visible_agents(person).order_by().values("pk")
    rows = Owner.objects.filter(erasure=None, agent__in=agents).select_related("agent")
    found: Owner = get_object_or_404(rows, pk=owner)
    return found
