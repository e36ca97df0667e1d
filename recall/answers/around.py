"""What was said right before and after what was found."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import or_
from uuid import UUID

from django.db.models import Q

from accounts.models import Owner
from accounts.owners import scope_of
from memory.models import Event
from recall.search.hits import Hit

# A pasted file beside a result is not its context, and hundreds of them would fill the memory.
LONGEST_TOKENS = 2_000


@dataclass(frozen=True, slots=True)
class Around:
    """The events next to a hit in its lane of its session, each side nearest first."""

    before: list[Event]
    after: list[Event]

    @property
    def tokens(self) -> int:
        return sum(event.tokens for event in [*self.before, *self.after])


def load_around(*, owner: Owner, hits: Sequence[Hit], widen: int) -> dict[UUID, Around]:
    """Return the `widen` events on each side of each hit, by the hit's id, in one query for all.

    What was erased or muted, and what is longer than LONGEST_TOKENS, is left out.
    """
    if not widen or not hits:
        return {}
    wanted = defaultdict[tuple[UUID, str], set[int]](set)
    for hit in hits:
        wanted[hit.session, hit.lane].update(_before(hit, widen), _after(hit, widen))
    places = [
        Q(session_id=session, lane=lane, seq__in=seqs) for (session, lane), seqs in wanted.items()
    ]
    mine = Event.objects.within(scope_of(owner.agent, owner=owner.pk)).audible()
    found = mine.filter(
        reduce(or_, places), payload__isnull=False, tokens__lte=LONGEST_TOKENS
    ).defer("salt", "commitment", "prev_hash", "hash")
    by_place = {(event.session_id, event.lane, event.seq): event for event in found}
    return {
        hit.id: Around(
            _present(by_place, hit, _before(hit, widen)),
            _present(by_place, hit, _after(hit, widen)),
        )
        for hit in hits
    }


def fit_around(found: Mapping[UUID, Around], room: int) -> dict[UUID, Around]:
    """Keep what fits `room` tokens: that of the first hit first, and of each side the nearest."""
    kept = {}
    for hit, around in found.items():
        before = _leading(around.before, room)
        after = _leading(around.after, room - sum(event.tokens for event in before))
        kept[hit] = Around(before, after)
        room -= kept[hit].tokens
    return kept


def _before(hit: Hit, widen: int) -> range:
    return range(hit.first_seq - 1, hit.first_seq - 1 - widen, -1)


def _after(hit: Hit, widen: int) -> range:
    return range(hit.last_seq + 1, hit.last_seq + 1 + widen)


def _present(
    by_place: Mapping[tuple[UUID, str, int], Event], hit: Hit, seqs: Iterable[int]
) -> list[Event]:
    places = ((hit.session, hit.lane, seq) for seq in seqs)
    return [by_place[place] for place in places if place in by_place]


def _leading(events: Sequence[Event], room: int) -> list[Event]:
    totals = accumulate(event.tokens for event in events)
    return [event for event, total in zip(events, totals, strict=True) if total <= room]
