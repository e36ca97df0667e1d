"""Whose sessions and receipts the console shows: those of the organization's agents."""

from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import User
from inspector.console.door import visible_agents
from memory.models import Session
from recall.models import Receipt


def sessions_of(person: User) -> QuerySet[Session]:
    agents = visible_agents(person).order_by().values("pk")
    rows: QuerySet[Session] = Session.objects.filter(owner__agent__in=agents)
    return rows.select_related("owner__agent__organization", "owner__user")


def receipts_of(person: User) -> QuerySet[Receipt]:
    agents = visible_agents(person).order_by().values("pk")
    rows: QuerySet[Receipt] = Receipt.objects.filter(owner__agent__in=agents)
    return rows.select_related("owner__agent__organization", "session")


def session_for(person: User, session: UUID) -> Session:
    """Return a session that the person may see. Raises Http404 for any other."""
    found: Session = get_object_or_404(sessions_of(person), pk=session)
    return found


def receipt_for(person: User, receipt: UUID) -> Receipt:
    """Return a receipt that the person may see. Raises Http404 for any other."""
    found: Receipt = get_object_or_404(receipts_of(person), pk=receipt)
    return found
