"""What goes with items that are forgotten: what they became, and where else they are told."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard
from uuid import UUID

from accounts.models import Owner
from consolidation.deletion.matcher import Telling, telling_of
from consolidation.deletion.places.derived import Derived, derived_from
from consolidation.deletion.places.log import Echoes, echoes_of
from consolidation.deletion.places.written import Happened, find_happened
from knowledge.items.rows import Item, build_item, snapshot
from knowledge.models import Arc, ChangeItem, Fact, Rule


@dataclass(frozen=True, slots=True)
class Besides:
    """What goes with items: what they became, where else they are told, and sessions as a whole."""

    tellings: Sequence[Telling]
    derived: Derived
    echoes: Echoes
    happened: Happened
    sessions: Sequence[UUID]


def besides_of(owner: Owner, rows: Sequence[Item]) -> Besides:
    """Return what goes with items that are to be forgotten. With an arc goes all its session."""
    tellings = [telling_of(row) for row in (*rows, *earlier(owner, rows)) if _is_told(row)]
    facts = [row for row in rows if isinstance(row, Fact)]
    derived = derived_from(owner, facts, tellings)
    sessions = [row.session for row in rows if isinstance(row, Arc)]
    echoes = echoes_of(owner, tellings, sessions)
    return Besides(tellings, derived, echoes, find_happened(owner, tellings), sessions)


def _is_told(row: Item) -> TypeGuard[Fact | Rule]:
    return isinstance(row, Fact | Rule)


def earlier(owner: Owner, rows: Sequence[Item]) -> Iterator[Item]:
    """Yield what items said before they were changed."""
    mine = ChangeItem.objects.filter(changeset__owner=owner, act=ChangeItem.Act.EDIT)
    for row in filter(_is_told, rows):
        for item in mine.filter(target=row.pk).exclude(before=None):
            yield build_item(owner, item.kind, row.pk, snapshot(row) | (item.before or {}))
