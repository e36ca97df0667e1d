"""A session as one time line: both lanes' events, calls with their results, folds and markers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.core.paginator import Page
from django.db.models import Q

from consolidation.models import CompactionRun
from inspector.overview import EventLine
from inspector.paging import ROWS, FromBothEnds
from memory.messages import call_ids
from memory.models import CompactMarker, Event, LaneWindow, ReferenceSummary, Session
from memory.models.window import Lane

# One call may have a hundred results, and each a megabyte: the log has the rest.
MOST_RESULTS = 100
# The order of the commits.
PLACE = ("committed_at", "lane", "seq")


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """An event, with the results of its calls. `is_folded`: it has left the view of its lane."""

    line: EventLine
    is_folded: bool
    results: Sequence[EventLine] = ()
    is_waiting: bool = False
    kind: str = field(default="event", init=False)

    @property
    def at(self) -> datetime:
        when: datetime = self.line.event.committed_at
        return when

    @property
    def lane(self) -> str:
        name: str = self.line.event.lane
        return name


@dataclass(frozen=True, slots=True)
class Sign:
    """What happened to a lane's view: `kind` is run, marker or summary."""

    kind: str
    at: datetime
    lane: str
    row: CompactionRun | CompactMarker | ReferenceSummary


@dataclass(frozen=True, slots=True)
class TimeLine:
    page: Page
    rows: Sequence[TimelineEvent | Sign]
    windows: Sequence[LaneWindow]


class InTwoLanes(FromBothEnds):
    """Reads a page, and the event behind it, of two lanes that are each committed in their order.

    The lanes are read by their index and merged as far as the page lies from the nearer end: to put
    a long session as a whole in the order of its commits takes longer than all else on its page.
    """

    def _rows(self, bottom: int, top: int) -> Sequence[Event]:
        is_near = bottom * 2 < self.count
        sign = "" if is_near else "-"
        behind = min(top + 1, self.count)
        start, end = (bottom, behind) if is_near else (self.count - behind, self.count - bottom)
        edge, core = (
            self._found()
            .filter(lane=lane)
            .order_by(f"{sign}seq")
            .values_list(*PLACE, "pk")[: max(end, 1)]
            for lane in (Lane.EDGE, Lane.CORE)
        )
        merged = edge.union(core, all=True).order_by(*(f"{sign}{name}" for name in PLACE))
        ids = [row[-1] for row in merged[start:end]]
        return list(self._found().filter(pk__in=ids))


def time_line(session: Session, number: str | None) -> TimeLine:
    """Read one page of a session, in the order of its commits."""
    found = Event.objects.filter(session=session).as_committed()
    found = found.defer("salt", "commitment", "prev_hash")
    page = InTwoLanes(found, ROWS).get_page(number)
    events, following = list(page)[:ROWS], list(page)[ROWS:]
    windows = list(
        LaneWindow.objects.filter(session=session).select_related("summary").order_by("-lane")
    )
    said = _grouped(events, _results(session, events), {one.lane: one for one in windows})
    first = events[0].committed_at if events and page.has_previous() else None
    until = following[0].committed_at if following else None
    signs = _signs(session, windows, first, until)
    rows: list[TimelineEvent | Sign] = [*said, *signs]
    return TimeLine(page, sorted(rows, key=lambda row: row.at), windows)


def _results(session: Session, events: Sequence[Event]) -> list[Event]:
    """Return the results of these events' calls, on whatever page they stand."""
    calls = {id for event in events for id in call_ids(event.content)}
    rows = Event.objects.filter(
        session=session, type=Event.Type.TOOL_RESULT, tool_call_id__in=calls
    )
    return list(rows.in_order().defer("salt", "commitment", "prev_hash")[:MOST_RESULTS])


def _grouped(
    events: Sequence[Event], results: Sequence[Event], windows: Mapping[str, LaneWindow]
) -> list[TimelineEvent]:
    """Put each result below its call; one whose call is on another page stands alone."""
    taken: set[UUID] = set()
    said: list[TimelineEvent] = []
    for event in events:
        if event.pk in taken:
            continue
        calls = call_ids(event.content)
        mine = [one for one in results if _answers(one, event, calls) and one.pk not in taken]
        taken |= {one.pk for one in mine}
        waiting = not calls <= {one.tool_call_id for one in mine}
        is_folded = _is_folded(event, windows.get(event.lane))
        said.append(
            TimelineEvent(EventLine(event), is_folded, [EventLine(one) for one in mine], waiting)
        )
    return said


def _answers(result: Event, event: Event, calls: Collection[str]) -> bool:
    is_later = result.lane == event.lane and result.seq > event.seq
    return is_later and result.tool_call_id in calls


def _is_folded(event: Event, window: LaneWindow | None) -> bool:
    return window is not None and event.seq < window.start_seq and event.seq not in window.kept


def _signs(
    session: Session,
    windows: Sequence[LaneWindow],
    first: datetime | None,
    until: datetime | None,
) -> list[Sign]:
    runs = CompactionRun.objects.filter(_between("created_at", first, until), session=session)
    markers = CompactMarker.objects.filter(_between("archived_at", first, until), session=session)
    found = [Sign("run", run.created_at, run.lane, run) for run in runs.defer("reply")]
    found += [Sign("marker", one.archived_at, one.lane, one) for one in markers]
    for window in windows:
        summary = getattr(window, "summary", None)
        if summary is not None and _is_within(summary.updated_at, first, until):
            found.append(Sign("summary", summary.updated_at, window.lane, summary))
    return found


def _between(field: str, first: datetime | None, until: datetime | None) -> Q:
    wanted = Q(**{f"{field}__gte": first}) if first else Q()
    return wanted & Q(**{f"{field}__lt": until}) if until else wanted


def _is_within(at: datetime, first: datetime | None, until: datetime | None) -> bool:
    return (first is None or at >= first) and (until is None or at < until)
