"""What was written on purpose, deleted: each through the one door of deletion, in the version seen."""

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from accounts.models import Agent, Connection, Owner
from accounts.owners import find_agent_owner
from consolidation.deletion.forget import AT_ONCE, ForgetResult, forget
from consolidation.deletion.places.own import CONNECTION, FILE, KNOWLEDGE, NOTE, TOOL
from consolidation.deletion.places.written import KIND as SAVED_FACT
from consolidation.deletion.trace import Target
from knowledge.documents.agent import find_document
from knowledge.errors import ConnectionUnknown, DocumentUnknown
from knowledge.models import ChangeItem, ContextDocument, Entry, KnowledgeDocument, SavedFact
from knowledge.notes.store import get_entry
from knowledge.saved_facts.save import find_fact
from knowledge.workspace.files import read_file


@transaction.atomic
def forget_note(
    *,
    owner: Owner,
    name: str,
    actor: str,
    expected: int | None = None,
    keep_for: timedelta = AT_ONCE,
) -> Entry:
    """Delete a note with all its names, and return what it was. Raises what put_note raises."""
    entry = get_entry(owner=owner, name=name)
    _forget(owner, Target(NOTE, name, expected), actor, keep_for)
    return entry


@transaction.atomic
def forget_saved_fact(
    *, owner: Owner, id: UUID, actor: str, keep_for: timedelta = AT_ONCE
) -> SavedFact:
    """Delete a saved fact with its lines in MEMORY.md and the daily logs; return what it was.

    Raises FactUnknown, or WorkspaceUnavailable: then the fact is there still.
    """
    row = find_fact(owner=owner, id=id)
    _forget(owner, Target(SAVED_FACT, row.pk), actor, keep_for)
    return row


@transaction.atomic
def forget_document(
    *, owner: Owner | None, id: UUID, actor: str, keep_for: timedelta = AT_ONCE
) -> None:
    """Delete a text about a person for good: it is not learned again. Raises DocumentUnknown."""
    if owner is None or not ContextDocument.objects.filter(owner=owner, pk=id).exists():
        raise DocumentUnknown("no such document")
    _forget(owner, Target(ChangeItem.Kind.DOCUMENT, id), actor, keep_for)


@transaction.atomic
def forget_knowledge(
    *,
    agent: Agent,
    actor: str,
    key: str | None = None,
    id: UUID | None = None,
    expected: int | None = None,
) -> KnowledgeDocument:
    """Delete a document of the agent's own knowledge, and return what it was.

    Raises DocumentUnknown, DocumentUnnamed or DocumentChanged.
    """
    owner = find_agent_owner(agent)
    document = find_document(owner=owner, key=key, id=id)
    assert owner is not None  # noqa: S101 - whose the document is
    _forget(owner, Target(KNOWLEDGE, document.pk, expected), actor, AT_ONCE)
    return document


def forget_connection(*, connection: Connection, actor: str, version: int | None = None) -> None:
    """Delete a connection with all that was learned of it. Raises ConnectionUnknown or ConnectionChanged."""
    target = Target(CONNECTION, connection.pk, version)
    if _forget(connection.owner, target, actor, AT_ONCE).act is None:
        raise ConnectionUnknown("the user has no such connection")


def forget_tool(*, connection: Connection, actor: str, keep_for: timedelta = AT_ONCE) -> None:
    """Delete what was learned of a tool; the connection stays."""
    _forget(connection.owner, Target(TOOL, connection.pk), actor, keep_for)


def forget_file(*, owner: Owner, name: str, actor: str) -> None:
    """Delete a file with its earlier texts; one that belongs there begins anew with its next use.

    Raises FileUnknown, WorkspaceUnavailable.
    """
    read_file(owner=owner, name=name)
    _forget(owner, Target(FILE, name), actor, AT_ONCE)


def _forget(owner: Owner, target: Target, actor: str, keep_for: timedelta) -> ForgetResult:
    return forget(owner=owner, items=[target], actor=actor, keep_for=keep_for)
