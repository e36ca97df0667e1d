"""People and things made one, and parted again: by changesets that can be taken back."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db import transaction

from accounts.ids import new_id
from accounts.models import Owner
from knowledge.changes.apply import Evidence, ItemChange, apply_changes
from knowledge.errors import ItemUnknown
from knowledge.items.rows import lock_memory
from knowledge.models import ChangeItem, Changeset, Entity, Fact
from knowledge.models.learned import Timing

Act, Kind = ChangeItem.Act, ChangeItem.Kind
BY_HAND = "entity.by_hand"
POLICY_VERSION = "by-hand-1"


@transaction.atomic
def merge_entities(*, owner: Owner, keep: UUID, others: Sequence[UUID], actor: str) -> Changeset:
    """Make entities one: their facts and names become those of the one that is kept.

    To take the changeset back parts them again. Raises ItemUnknown.
    """
    lock_memory(owner)
    kept, merged = _entity(owner, keep), [_entity(owner, one) for one in others if one != keep]
    names = [name for one in merged for name in (one.name, *one.names)]
    changes = [
        *_moved(owner, [one.pk for one in merged], keep),
        *(_change(Act.RETIRE, one.pk, {"superseded_by": str(keep)}) for one in merged),
        _change(Act.EDIT, keep, {"names": list(dict.fromkeys((*kept.names, *names)))[:20]}),
    ]
    return _apply(owner, changes, actor)


@transaction.atomic
def part_entity(
    *, owner: Owner, entity: UUID, name: str, facts: Sequence[UUID], actor: str
) -> Changeset:
    """Give some facts of an entity to a new one of another name. Raises ItemUnknown."""
    lock_memory(owner)
    whole, new = _entity(owner, entity), new_id()
    mine = Fact.objects.filter(owner=owner, about=entity, pk__in=facts)
    fields = {
        "name": name,
        "kind": whole.kind,
        "relation": "",
        "write_timing": Timing.MANUAL,
        "write_reason": BY_HAND,
        "policy_version": POLICY_VERSION,
    }
    names = [one for one in whole.names if one != name]
    changes = [
        _change(Act.ADD, new, fields),
        *(_change(Act.EDIT, fact.pk, {"about": new}, Kind.FACT) for fact in mine),
        _change(Act.EDIT, entity, {"names": names}),
    ]
    return _apply(owner, changes, actor)


def _entity(owner: Owner, id: UUID) -> Entity:
    found = Entity.objects.filter(owner=owner, pk=id).active().first()
    if found is None:
        raise ItemUnknown("no such entity")
    return found


def _moved(owner: Owner, sources: Sequence[UUID], target: UUID) -> list[ItemChange]:
    facts = Fact.objects.filter(owner=owner, about__in=sources).order_by("pk")
    return [_change(Act.EDIT, fact.pk, {"about": target}, Kind.FACT) for fact in facts]


def _change(
    act: str, target: UUID, fields: Mapping[str, object], kind: str = Kind.ENTITY
) -> ItemChange:
    evidence = Evidence(quote="", source_event="", confidence="")
    return ItemChange(kind, act, target, fields, evidence, BY_HAND, "", POLICY_VERSION)


def _apply(owner: Owner, changes: Sequence[ItemChange], actor: str) -> Changeset:
    origin, key = Changeset.Origin.PERSON, f"entity:{new_id()}"
    return apply_changes(owner=owner, origin=origin, run_key=key, changes=changes, actor=actor)
