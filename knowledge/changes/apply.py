"""The only way in which facts, arcs and rules change: as items of a changeset, under one lock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.ids import new_id
from accounts.models import Owner
from audit.failpoint import failpoint
from knowledge.changes.approval import BY_HAND, ProposedChange, linked, policies_for, rule_on
from knowledge.changes.corrections import delete_item, edit_item
from knowledge.changes.perform import evict_rules, perform
from knowledge.changes.reverting import revert_changeset
from knowledge.errors import ChangeNotWaiting
from knowledge.items.rows import as_json, find_item, lock_memory
from knowledge.items.tombstones import TOMBSTONE, is_buried
from knowledge.models import ChangeItem, Changeset, Fact

__all__ = [
    "Evidence",
    "ItemChange",
    "apply_changes",
    "decide_item",
    "delete_item",
    "edit_item",
    "revert_changeset",
]

Act, Kind, State = ChangeItem.Act, ChangeItem.Kind, ChangeItem.State
NEVER = "approval.never"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a change is proposed: the user's own words, and the reference of the event they are in."""

    quote: str
    source_event: str
    confidence: str


@dataclass(frozen=True, slots=True)
class ItemChange:
    """One change to make. `kind` and `act` are values of ChangeItem's.

    `target` of an add is the id it is to have, None for any. `fields` are the model's, to be
    written; a retirement names `superseded_by`. One that `waits` is taken only by a person.
    """

    kind: str
    act: str
    target: UUID | None
    fields: Mapping[str, object]
    evidence: Evidence
    code: str
    reason: str
    policy_version: str
    waits: bool = False


@transaction.atomic
def apply_changes(
    *,
    owner: Owner,
    origin: str,
    run_key: str,
    changes: Sequence[ItemChange],
    session: UUID | None = None,
    actor: str = "",
) -> Changeset:
    """Make the changes of one run, all or none; a repetition of its key returns the first changeset.

    A policy may have some wait for a person. What a person had deleted is not added again. Raises
    ItemChanged when an item to bump, retire or edit is not there, or counts no more.
    """
    lock_memory(owner)
    done = Changeset.objects.filter(owner=owner, run_key=run_key).first()
    if done:
        return done
    made = Changeset.objects.create(
        owner=owner, origin=origin, actor=actor, session=session, run_key=run_key
    )
    items = [_item(made, place, change) for place, change in enumerate(changes)]
    _rule_on(made, items, [change.waits for change in changes])
    for item in items:
        if item.state == State.APPLIED:
            perform(owner, item)
        item.save()
        failpoint("changes.after_item")
    evict_rules(made)
    return made


def decide_item(*, item: ChangeItem, approve: bool, actor: str) -> Changeset:
    """Approve or reject a change that waits, with those that belong to the same replacement.

    Raises ChangeNotWaiting, or ItemChanged when what it was about is no more as it was.
    """
    with transaction.atomic():
        made = Changeset.objects.select_related("owner").get(pk=item.changeset_id)
        lock_memory(made.owner)
        waiting = list(made.items.filter(state=State.WAITING).order_by("place"))
        if item.pk not in {one.pk for one in waiting}:
            raise ChangeNotWaiting(f"change {item.place} does not wait")
        touches = [_touches(one) for one in waiting]
        together = linked(touches, _touches(item))
        now = timezone.now()
        for one, ids in zip(waiting, touches, strict=True):
            if ids & together:
                one.state = State.APPLIED if approve else State.REJECTED
                one.decided_by, one.decided_at = actor, now
                if approve:
                    perform(made.owner, one)
                one.save()
        evict_rules(made, decided_at=now)
    return made


def _item(made: Changeset, place: int, change: ItemChange) -> ChangeItem:
    target = change.target or (new_id() if change.act == Act.ADD else None)
    return ChangeItem(
        changeset=made,
        place=place,
        kind=change.kind,
        act=change.act,
        target=target,
        after={name: as_json(value) for name, value in change.fields.items()},
        quote=change.evidence.quote,
        source_event=change.evidence.source_event,
        confidence=change.evidence.confidence,
        code=change.code,
        reason=change.reason,
        policy_version=change.policy_version,
    )


def _rule_on(made: Changeset, items: Sequence[ChangeItem], waits: Sequence[bool]) -> None:
    """Give each item its state: by the policies, and by what was deleted."""
    asked = [
        ProposedChange(
            _category(made.owner, item), item.act, item.confidence, _touches(item), is_for_person
        )
        for item, is_for_person in zip(items, waits, strict=True)
    ]
    by_hand = made.origin in BY_HAND
    states = [State.APPLIED] * len(items) if by_hand else rule_on(asked, policies_for(made.owner))
    refused: set[str] = set()
    for item, state in zip(items, states, strict=True):
        item.state = state
        code = _refusal(made.owner, item, refused)
        if code:
            if item.act == Act.ADD:
                refused.add(str(item.target))
            _empty(item, code)


def _refusal(owner: Owner, item: ChangeItem, refused: set[str]) -> str:
    """Return the code of why an item is not even to wait; empty for none."""
    if item.act == Act.ADD and is_buried(owner=owner, kind=item.kind, fields=item.after or {}):
        return TOMBSTONE
    if item.state == State.REJECTED:
        return NEVER
    return item.code if _touches(item) & refused else ""


def _empty(item: ChangeItem, code: str) -> None:
    item.state, item.code = State.REJECTED, code
    item.after, item.quote, item.reason = None, "", ""


def _category(owner: Owner, item: ChangeItem) -> str:
    if item.kind != Kind.FACT:
        return item.kind
    named = (item.after or {}).get("category")
    if named:
        return str(named)
    found = find_item(owner, item.kind, item.target)
    return found.category if isinstance(found, Fact) else ""


def _touches(item: ChangeItem) -> frozenset[str]:
    """Return the ids of the items a change is about: its target, and what takes its place."""
    successor = str((item.after or {}).get("superseded_by") or item.target)
    return frozenset({str(item.target), successor})
