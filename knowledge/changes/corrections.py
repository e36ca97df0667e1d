"""What a person does to their memory by hand: change an item, or delete it for good."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from accounts.ids import new_id
from accounts.models import Owner
from knowledge.changes.perform import perform
from knowledge.changes.rewording import reworded
from knowledge.errors import ItemChanged, ItemUnfit, ItemUnknown
from knowledge.items.rows import Fields, Item, as_json, field_of, find_item, lock_memory, snapshot
from knowledge.items.tombstones import TOMBSTONE, bury, digests
from knowledge.models import ChangeItem, Changeset, Fact, ProceduralProfile, Rule
from knowledge.models.learned import EntityType, Predicate, SourceClass, Timing

Act, Kind, State = ChangeItem.Act, ChangeItem.Kind, ChangeItem.State
# What a fact says; the rest of its fields is about it.
SAYS = ("subject_type", "subject", "predicate", "object_type", "object")
CORRECTED = "person.edit"
QUOTE_CHARACTERS = 280
# From their own hand, no words of a conversation stand behind an item.
BY_HAND: Mapping[str, object] = {
    "source_class": SourceClass.USER_DIRECT.value,
    "source_session": None,
    "source_events": [],
    "write_timing": Timing.MANUAL.value,
    "write_reason": CORRECTED,
}
EDITABLE: Mapping[str, frozenset[str]] = {
    Kind.FACT: frozenset(
        {
            "category",
            "subject_type",
            "subject",
            "predicate",
            "object_type",
            "object",
            "evidence_quote",
            "confidence",
            "is_pinned",
        }
    ),
    Kind.ARC: frozenset({"summary", "themes", "open_loops", "resolved_threads", "is_pinned"}),
    Kind.RULE: frozenset({"text", "is_pinned"}),
    Kind.PROFILE: frozenset({"proactive_recall_enabled"}),
}


def edit_item(
    *,
    owner: Owner,
    kind: str,
    target: UUID | None,
    fields: Fields,
    actor: str,
    version: int | None = None,
) -> Changeset:
    """Change fields of an item as a person wishes. `version` is the one that was seen, None for any.

    New words are from the person: the quote they were learned by stays with what was said before.
    Raises ItemUnknown, ItemChanged or ItemUnfit.
    """
    with transaction.atomic():
        lock_memory(owner)
        row = _seen(owner, kind, target, version)
        _check(kind, row, fields)
        made, item = _by_person(owner, kind, Act.EDIT, target, actor)
        written = {**fields, **_own_words(row, fields)}
        item.after = {name: as_json(value) for name, value in written.items()}
        perform(owner, item)
        item.save()
    return made


def rewords(row: Item | None, fields: Fields) -> bool:
    """Say whether fields would have an item say something else."""
    said: Sequence[str] = ()
    if isinstance(row, Fact):
        said = SAYS
    elif isinstance(row, Rule):
        said = ("text",)
    return any(name in fields and fields[name] != getattr(row, name) for name in said)


def corrected_at(owner: Owner, items: Collection[UUID]) -> Mapping[UUID, datetime]:
    """Return when a person last gave items their words; those that nobody did are left out."""
    mine = ChangeItem.objects.filter(changeset__owner=owner, code=CORRECTED, state=State.APPLIED)
    reworded = mine.filter(target__in=items, after__has_key="write_reason")
    rows = reworded.values_list("target").annotate(at=Max("changeset__created_at"))
    return {target: at for target, at in rows if target}


def release_item(*, owner: Owner, kind: str, target: UUID, actor: str) -> Changeset:
    """Let an item in quarantine count, in the caller's transaction. Raises ItemUnknown."""
    lock_memory(owner)
    row = _seen(owner, kind, target, None)
    if isinstance(row, ProceduralProfile) or not row.is_quarantined:
        raise ItemUnknown(f"no {kind} in quarantine")
    made, item = _by_person(owner, kind, Act.EDIT, target, actor)
    item.after, item.code = {"is_quarantined": False}, "person.release"
    perform(owner, item)
    item.save()
    return made


def delete_item(
    *, owner: Owner, kind: str, target: UUID, actor: str, version: int | None = None
) -> Changeset:
    """Delete an item for good, with its words wherever changes have kept them.

    Nothing that is still under way brings it back. Raises ItemUnknown or ItemChanged.
    """
    with transaction.atomic():
        lock_memory(owner)
        row = _seen(owner, kind, target, version)
        if isinstance(row, ProceduralProfile):
            raise ItemUnknown("a profile is not deleted")
        known = _bury(owner, kind, row)
        row.delete()
        _forget(owner, kind, target, known)
        made, item = _by_person(owner, kind, Act.DELETE, target, actor)
        item.save()
    return made


def _by_person(
    owner: Owner, kind: str, act: str, target: UUID | None, actor: str
) -> tuple[Changeset, ChangeItem]:
    """Return a new changeset of a person's one act, and its item, unsaved."""
    made = Changeset.objects.create(
        owner=owner, origin=Changeset.Origin.PERSON, actor=actor, run_key=f"{act}:{new_id()}"
    )
    code = f"person.{act}"
    return made, ChangeItem(
        changeset=made, place=0, kind=kind, act=act, target=target, code=code, decided_by=actor
    )


def _seen(owner: Owner, kind: str, target: UUID | None, version: int | None) -> Item:
    """Return the item in the version that was seen. Raises ItemUnknown or ItemChanged."""
    row = find_item(owner, kind, target)
    if row is None:
        raise ItemUnknown(f"no such {kind}")
    if version is not None and not isinstance(row, ProceduralProfile) and row.version != version:
        detail = {"version": row.version}
        raise ItemChanged(f"the {kind} is in version {row.version}, not {version}", detail=detail)
    return row


def _check(kind: str, row: Item, fields: Fields) -> None:
    """Raise ItemUnfit for a field that is not a person's to change, or a value it cannot have."""
    for name, value in fields.items():
        if name not in EDITABLE[kind]:
            raise ItemUnfit(f"{name} of a {kind} is not to be changed", detail={"field": name})
        try:
            field_of(row, name).clean(value, row)
        except (ValidationError, ValueError) as error:
            raise ItemUnfit(f"{name} cannot be this", detail={"field": name}) from error


def _own_words(row: Item, fields: Fields) -> Fields:
    """Return what new words are from: the person who wrote them; nothing where none are new."""
    if not rewords(row, fields):
        return {}
    if isinstance(row, Rule):
        return {"evidence": [fields["text"]], **BY_HAND}
    assert isinstance(row, Fact)  # noqa: S101 - narrows
    said = {name: str(fields.get(name, getattr(row, name))) for name in SAYS}
    if row.statement:
        # Its object is the statement itself: what the person writes is the fact.
        own = {"statement": said["object"], "evidence_quote": said["object"][:QUOTE_CHARACTERS]}
        return {**own, "source_turn": 0, **BY_HAND}
    quote = str(fields.get("evidence_quote") or _as_corrected(row, said) or _in_words(said))
    return {"evidence_quote": quote[:QUOTE_CHARACTERS], "source_turn": 0, **BY_HAND}


def _as_corrected(row: Fact, said: Mapping[str, str]) -> str | None:
    """Return the sentence that a fact was learned by as the person would have it; None if it cannot be.

    A word alone is neither found by what it is about, nor does it say that to a model.
    """
    sentence: str | None = row.evidence_quote
    for name in ("subject", "object"):
        was = str(getattr(row, name))
        if sentence and said[name] != was:
            sentence = reworded(sentence, was, said[name])
    return sentence if sentence != row.evidence_quote else None


def _in_words(said: Mapping[str, str]) -> str:
    """Return what a fact says in as few words as can be: what says no more is told by its words."""
    subject = "" if said["subject_type"] == EntityType.USER else said["subject"]
    is_plain = said["predicate"] in (Predicate.KNOWS, Predicate.MENTIONED_IN)
    does = "" if is_plain else said["predicate"].replace("_", " ").lower()
    return " ".join(part for part in (subject, does, said["object"]) if part)


def _bury(owner: Owner, kind: str, row: Item) -> frozenset[bytes]:
    """Make the tombstones of all that an item says and ever said; return what they know it by."""
    said, known = snapshot(row), frozenset[bytes]()
    of_target = ChangeItem.objects.filter(changeset__owner=owner, kind=kind, target=row.pk)
    for was in (said, *of_target.values_list("before", flat=True)):
        bury(owner=owner, kind=kind, fields=said | (was or {}))
        known |= digests(owner, kind, said | (was or {}))
    return known


def _forget(owner: Owner, kind: str, target: UUID, known: frozenset[bytes]) -> None:
    """Empty the changes of an item, and what waits to say the same again or to replace it."""
    mine = ChangeItem.objects.filter(changeset__owner=owner, kind=kind)
    waiting = mine.filter(state=State.WAITING)
    adds = waiting.filter(act=Act.ADD)
    again = [one.target for one in adds if known & digests(owner, kind, one.after or {})]
    gone = [target, *again]
    mine.filter(target__in=gone).update(before=None, after=None, quote="", reason="")
    # What they replaced was retired on their words.
    replaced = mine.filter(after__superseded_by__in=[str(one) for one in gone])
    replaced.update(quote="", reason="")
    for rows in (waiting.filter(target__in=gone), replaced.filter(state=State.WAITING)):
        rows.update(state=State.REJECTED, code=TOMBSTONE)
