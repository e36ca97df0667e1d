"""A document of V as a change of it keeps it, and put back from there."""

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from accounts.models import Connection, Owner
from knowledge.errors import ChangesetOvertaken
from knowledge.items.rows import as_json
from knowledge.items.tombstones import TOMBSTONE, bury, is_buried
from knowledge.models import ChangeItem, ContextDocument

Act, State = ChangeItem.Act, ChangeItem.State
FIELDS = (
    "id",
    "content",
    "context_type",
    "source",
    "org_id",
    "tool_id",
    "connection_id",
    "message_id",
    "attachment_id",
    "filename",
    "events",
    "is_sensitive",
    "created_at",
)


def document_as_json(row: ContextDocument) -> dict[str, object]:
    """Return all of a document but its vector and its use."""
    return {name: as_json(getattr(row, name)) for name in FIELDS}


def put_document_back(owner: Owner, item: ChangeItem, undone: ChangeItem) -> None:
    """Delete the document that a change brought, and keep the one again that it took out.

    Raises ChangesetOvertaken where another one has taken the place of the first by now.
    """
    mine = ContextDocument.objects.filter(owner=owner)
    if item.act != Act.RETIRE and item.target is not None:
        deleted, _ = mine.filter(pk=item.target).delete()
        if item.before and not deleted:
            raise ChangesetOvertaken(f"the document of change {item.place} has changed")
        undone.act = Act.DELETE
    if item.before is None:
        return
    undone.act, undone.after = Act.RESTORE, item.before
    if not _is_welcome(owner, item.before):
        undone.state, undone.code, undone.after = State.REJECTED, TOMBSTONE, None
        return
    undone.target = UUID(str(item.before["id"]))
    _keep(owner, item.before)


def replaced(owner: Owner, documents: Collection[UUID]) -> list[ChangeItem]:
    """Return the changes that brought documents, and those that had brought what these replaced."""
    mine = ChangeItem.objects.filter(changeset__owner=owner, kind=ChangeItem.Kind.DOCUMENT)
    found: dict[int, ChangeItem] = {}
    wanted = set(documents)
    while wanted:
        items = mine.filter(target__in=wanted).exclude(pk__in=found).order_by("-pk")
        new = {item.pk: item for item in items}
        found |= new
        wanted = {UUID(str(one.before["id"])) for one in new.values() if one.before}
    return list(found.values())


def forget_changes(*, owner: Owner, documents: Collection[UUID]) -> None:
    """Take the words of documents out of every change, with those of what they had replaced."""
    items = replaced(owner, documents)
    for item in items:
        if item.before:
            bury(owner=owner, kind=ChangeItem.Kind.DOCUMENT, fields=item.before)
    kept = ChangeItem.objects.filter(pk__in=[item.pk for item in items])
    kept.update(before=None, after=None, quote="", reason="")


def keep_again(owner: Owner, before: Mapping[str, object]) -> None:
    """Keep a document again that was deleted, unless its text or its connection is gone since."""
    if _is_welcome(owner, before):
        _keep(owner, before)


def _is_welcome(owner: Owner, before: Mapping[str, object]) -> bool:
    """Say whether nobody had the text deleted, nor the connection that it was of."""
    connection = str(before["connection_id"] or "")
    mine = Connection.objects.filter(owner=owner)
    is_connected = not connection or mine.filter(pk=connection).exists()
    return is_connected and not is_buried(owner=owner, kind=ChangeItem.Kind.DOCUMENT, fields=before)


def _keep(owner: Owner, before: Mapping[str, object]) -> None:
    fields = {name: before[name] for name in FIELDS if name != "created_at"}
    row = ContextDocument(owner=owner, **fields)
    ContextDocument.objects.bulk_create([row], ignore_conflicts=True)
    kept_at = datetime.fromisoformat(str(before["created_at"]))
    ContextDocument.objects.filter(owner=owner, pk=row.pk).update(created_at=kept_at)
