"""The people and things that facts are about: found again by id or name, or new."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.ids import new_id
from accounts.models import Owner
from consolidation.learning.reconcile.matching import folded
from consolidation.verdict import FactCandidate, Verdict
from knowledge.changes.apply import Evidence, ItemChange
from knowledge.models import ChangeItem, Entity

Act = ChangeItem.Act
MOST_LOOKED_AT = 2_000
MOST_NAMES = 10


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """A person or thing that is kept and counts."""

    id: UUID
    name: str
    names: tuple[str, ...]
    kind: str
    relation: str

    @property
    def called(self) -> set[str]:
        return {folded(one) for one in (self.name, *self.names)}


def load_entities(owner: Owner) -> tuple[KnownEntity, ...]:
    """Return an owner's entities that count, oldest first."""
    rows = Entity.objects.filter(owner=owner).active().order_by("created_at", "pk")
    return tuple(
        KnownEntity(row.pk, row.name, tuple(row.names), row.kind, row.relation)
        for row in rows[:MOST_LOOKED_AT]
    )


class Entities:
    """What is known of an owner's people and things while a plan is made; it grows with it."""

    def __init__(self, known: Iterable[KnownEntity]) -> None:
        self._known = {one.id: one for one in known}

    def entity_of(
        self,
        candidate: FactCandidate,
        source: Mapping[str, object],
        evidence: Evidence,
        verdict: Verdict,
    ) -> tuple[UUID | None, Sequence[ItemChange]]:
        """Return the id of what a candidate is about, None for the user, and what that changes."""
        if not candidate.entity_kind:
            return None, ()
        name = candidate.subject or candidate.relation
        known = self._find(candidate, name)
        wanted = _with(known, candidate, name) if known else _new(candidate, name)
        self._known[wanted.id] = wanted
        if wanted == known:
            return wanted.id, ()
        fields: dict[str, object] = {
            "name": wanted.name,
            "names": list(wanted.names),
            "relation": wanted.relation,
        }
        if known is None:
            fields |= {"kind": wanted.kind, **source}
        change = ItemChange(
            kind=ChangeItem.Kind.ENTITY,
            act=Act.EDIT if known else Act.ADD,
            target=wanted.id,
            fields=fields,
            evidence=evidence,
            code=verdict.code.value,
            reason="",
            policy_version=verdict.policy_version,
        )
        return wanted.id, [change]

    def _find(self, candidate: FactCandidate, name: str) -> KnownEntity | None:
        shown = [one for one in self._known.values() if str(one.id) == candidate.entity]
        called = [
            one
            for one in self._known.values()
            if one.kind == candidate.entity_kind and folded(name) in one.called
        ]
        return next(iter([*shown, *called]), None)


def _new(candidate: FactCandidate, name: str) -> KnownEntity:
    return KnownEntity(new_id(), name, (), candidate.entity_kind, candidate.relation)


def _with(known: KnownEntity, candidate: FactCandidate, name: str) -> KnownEntity:
    """Return what is known with a name or a relation that was not known yet.

    What was named by its relation alone takes the name; its old one stays among the others.
    """
    names = known.names
    first = known.name
    if folded(name) not in known.called and folded(name) != folded(known.relation):
        is_unnamed = folded(first) == folded(known.relation)
        other, first = (first, name) if is_unnamed else (name, first)
        names = (*names, other)[:MOST_NAMES]
    relation = known.relation or candidate.relation
    return KnownEntity(known.id, first, names, known.kind, relation)
