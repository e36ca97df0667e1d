"""What a synthesis worked in, for the page of its receipt, which names it and holds no word of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.owners import scope_of
from consolidation.models import ContextEvent
from knowledge.models.profile import Contradiction
from knowledge.profile.pointers import keys_of
from recall.models import Receipt
from recall.receipts.items import SHOWN_CHARACTERS, Stored

TYPES = dict(ContextEvent.Type.choices)
RULES = dict(Contradiction.Rule.choices)


@dataclass(frozen=True, slots=True)
class ObservationLine:
    """One observation with its words of today; None once it was forgotten."""

    kind: str
    text: str | None


@dataclass(frozen=True, slots=True)
class ContradictionLine:
    """A value of the profile that two observations disagreed about, and the rule that decided."""

    place: str
    rule: str


@dataclass(frozen=True, slots=True)
class Worked:
    observations: Sequence[ObservationLine]
    contraries: Sequence[ContradictionLine]


def worked_in(receipt: Receipt) -> Worked | None:
    """Return what a synthesis worked in; None of a receipt of another kind."""
    if receipt.kind != Receipt.Kind.SYNTHESIS:
        return None
    owner = receipt.owner
    rows = ContextEvent.objects.within(scope_of(owner.agent, owner=owner.pk))
    wanted = [one["id"] for one in receipt.items if "id" in one]
    said = {str(row.pk): row.content for row in rows.filter(pk__in=wanted)}
    return Worked(
        [_observation(one, said.get(str(one.get("id")))) for one in receipt.items],
        [_contrary(one) for one in receipt.left_out],
    )


def _observation(stored: Stored, text: str | None) -> ObservationLine:
    kind = str(stored.get("type", ""))
    return ObservationLine(TYPES.get(kind, kind), None if text is None else _cut(text))


def _contrary(stored: Stored) -> ContradictionLine:
    rule = str(stored.get("rule", ""))
    return ContradictionLine(", ".join(keys_of(str(stored.get("path", "")))), RULES.get(rule, rule))


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]} …"
