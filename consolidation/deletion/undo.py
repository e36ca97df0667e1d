"""What a person had forgotten, taken back before it is final; and made final."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Owner
from audit.log import record
from consolidation.deletion import ledger
from consolidation.deletion.matcher import Telling, telling_of
from consolidation.deletion.places.contents import Contents, Gone, without_told
from consolidation.deletion.places.cuts import Cut, undo_cuts
from consolidation.deletion.places.footprint import Besides
from consolidation.deletion.places.written import restore_happened
from consolidation.embedding import learned as learned_vectors
from knowledge.changes.apply import Change, Evidence, apply_changes
from knowledge.documents.context import NewDocument, put_documents
from knowledge.errors import ForgettingFinal, ItemUnfit
from knowledge.items.rows import Item, build_item, lock_memory, snapshot
from knowledge.models import (
    Arc,
    ChangeItem,
    Changeset,
    ContextDocument,
    Fact,
    Forgetting,
    Rule,
    Tombstone,
)
from knowledge.profile.edit import edit_profile, read_profile
from knowledge.profile.pointers import leaves
from memory.muting import unmute

Act, Kind = ChangeItem.Act, ChangeItem.Kind
KINDS: Mapping[type[Item], str] = {Fact: Kind.FACT, Arc: Kind.ARC, Rule: Kind.RULE}
CODE = "person.take_back"
# What a document is made of anew: its id is made of the same.
OF_DOCUMENT = (
    "content",
    "context_type",
    "source",
    "tool_id",
    "connection_id",
    "message_id",
    "attachment_id",
    "filename",
    "events",
    "is_sensitive",
)


def contents_of(owner: Owner, rows: Iterable[Item], besides: Besides) -> Contents:
    """Return what an act of forgetting keeps for its return; to be asked before anything goes."""
    derived, cuts = besides.derived, besides.echoes.cuts
    values = leaves(read_profile(owner).scaffold)
    documents = ContextDocument.objects.filter(owner=owner, pk__in=derived.documents)
    return {
        "items": [_gone(owner, row) for row in rows],
        "narrative": list(derived.parts[Kind.NARRATIVE]),
        "scaffold": {path: values[path] for path in derived.parts[Kind.SCAFFOLD]},
        "members": {path: list(found) for path, found in derived.members.items()},
        "learned": list(derived.parts[Kind.LEARNED_INFO]),
        "documents": [_document(row) for row in documents],
        "cuts": [cut.stored for cut in cuts],
        "saved": besides.happened.stored_facts,
        "lines": {name: [*lines] for name, lines in besides.happened.lines.items()},
    }


@transaction.atomic
def take_back_forgetting(*, owner: Owner, act: UUID, actor: str) -> Changeset:
    """Bring back what one act took, and let its lines be heard again.

    What was written in its place since stays. Raises ForgettingFinal.
    """
    lock_memory(owner)
    found = Forgetting.objects.select_for_update().filter(owner=owner, pk=act).open().first()
    if found is None:
        raise ForgettingFinal("this was forgotten for good, or taken back already")
    kept = cast("Contents", found.contents)
    Tombstone.objects.filter(owner=owner, pk__in=found.tombstones).delete()
    made = _restore(owner, found, kept["items"], actor)
    _restore_picture(owner, kept, actor)
    put_documents(owner=owner, documents=[_new_document(one) for one in kept["documents"]])
    restore_happened(owner, kept["saved"], kept["lines"])
    undo_cuts(owner, [Cut.read(one) for one in kept["cuts"]])
    unmute(owner=owner, by=found.pk, events=found.events, chunks=found.chunks)
    found.delete()
    detail = {"items": found.items}
    record(actor=actor, action="memory.take_back", subject=str(act), detail=detail)
    # Only what is so is written: what is not written stays forgotten.
    transaction.on_commit(lambda: ledger.note_end(act, "take_back"), robust=True)
    learned_vectors.nudge()
    return made


@transaction.atomic
def make_final(*, owner: Owner, act: UUID, actor: str) -> None:
    """Delete the words that one act keeps, now. Raises ForgettingFinal."""
    lock_memory(owner)
    found = Forgetting.objects.select_for_update().filter(owner=owner, pk=act).open().first()
    if found is None:
        raise ForgettingFinal("this was forgotten for good, or taken back already")
    found.final_at = timezone.now()
    _finish(found)
    record(actor=actor, action="memory.make_final", subject=str(act))
    ledger.note_end(act, "make_final")


def make_due_final() -> int:
    """Delete the words of all whose time is over; return how many there were."""
    due = list(Forgetting.objects.due().order_by("pk").values_list("pk", "owner"))
    for pk, owner in due:
        with transaction.atomic():
            lock_memory(Owner.objects.get(pk=owner))
            for act in Forgetting.objects.due().select_for_update().filter(pk=pk):
                _finish(act)
    return len(due)


def scrub_others(owner: Owner, tellings: Sequence[Telling]) -> None:
    """Take what is gone for good out of what other acts keep, in the caller's transaction.

    Their own items stay, whatever they say: the person may still want them back.
    """
    for act in Forgetting.objects.filter(owner=owner, contents__isnull=False):
        act.contents = without_told(cast("Contents", act.contents), tellings)
        act.save(update_fields=["contents"])


def _finish(act: Forgetting) -> None:
    kept = cast("Contents", act.contents)
    act.contents = None
    act.save(update_fields=["contents", "final_at"])
    scrub_others(act.owner, list(_tellings(act.owner, kept)))


def _tellings(owner: Owner, kept: Contents) -> Iterator[Telling]:
    """Yield what the items of an act are known by, as they were and before they were changed."""
    for one in kept["items"]:
        for fields in (one["fields"], *(one["fields"] | before for before in one["earlier"])):
            row = build_item(owner, one["kind"], UUID(one["id"]), fields)
            if isinstance(row, Fact | Rule):
                yield telling_of(row)


def _restore(owner: Owner, act: Forgetting, items: Sequence[Gone], actor: str) -> Changeset:
    changes = [
        Change(
            kind=one["kind"],
            act=Act.ADD,
            target=UUID(one["id"]),
            fields=one["fields"],
            evidence=Evidence("", "", ""),
            code=CODE,
            reason="",
            policy_version="",
        )
        for one in items
    ]
    made = apply_changes(
        owner=owner,
        origin=Changeset.Origin.PERSON,
        run_key=f"take_back:{act.pk}",
        changes=changes,
        actor=actor,
    )
    ChangeItem.objects.bulk_create(_edits(made, items))
    return made


def _edits(made: Changeset, items: Sequence[Gone]) -> Iterator[ChangeItem]:
    """Yield what items said before edits: who forgets them again forgets that as well."""
    told = [(one, before) for one in items for before in one["earlier"]]
    for place, (one, before) in enumerate(told, start=made.items.count()):
        yield ChangeItem(
            changeset=made,
            place=place,
            kind=one["kind"],
            act=Act.EDIT,
            target=UUID(one["id"]),
            before=before,
            code=CODE,
            decided_by=made.actor,
        )


def _gone(owner: Owner, row: Item) -> Gone:
    edits = ChangeItem.objects.filter(changeset__owner=owner, target=row.pk, act=Act.EDIT)
    return {
        "kind": KINDS[type(row)],
        "id": str(row.pk),
        "fields": snapshot(row),
        "earlier": [edit.before for edit in edits if edit.before is not None],
    }


def _restore_picture(owner: Owner, kept: Contents, actor: str) -> None:
    """Write what the picture said beside what it says; a leaf that does not fit any more stays away."""
    now = read_profile(owner)
    if kept["narrative"]:
        text = " ".join([now.working_memory, *kept["narrative"]]).strip()
        _edit(owner, Kind.NARRATIVE, {"text": text}, actor)
    if kept["learned"]:
        _edit(owner, Kind.LEARNED_INFO, {"items": [*now.learned, *kept["learned"]]}, actor)
    values = leaves(now.scaffold)
    for path, value in kept["scaffold"].items():
        if path not in values:
            _edit(owner, Kind.SCAFFOLD, {path: value}, actor)
    for path, members in kept["members"].items():
        there = values.get(path)
        if isinstance(there, list):
            _edit(owner, Kind.SCAFFOLD, {path: [*there, *members]}, actor)


def _edit(owner: Owner, part: str, fields: Mapping[str, object], actor: str) -> None:
    try:
        edit_profile(owner=owner, part=part, fields=fields, actor=actor)
    except ItemUnfit:
        # It has no room or no place any more: what was written meanwhile counts.
        return


def _document(row: ContextDocument) -> dict[str, object]:
    said = {name: getattr(row, name) for name in OF_DOCUMENT}
    return said | {"connection_id": str(row.connection_id) if row.connection_id else None}


def _new_document(said: Mapping[str, object]) -> NewDocument:
    connection, events = said["connection_id"], said["events"]
    assert isinstance(events, list)  # noqa: S101 - our own words
    texts = {name: str(said[name]) for name in OF_DOCUMENT if isinstance(said[name], str)}
    texts.pop("connection_id", None)
    return NewDocument(
        **texts,
        connection=UUID(str(connection)) if connection else None,
        events=tuple(str(one) for one in events),
        is_sensitive=bool(said["is_sensitive"]),
    )
