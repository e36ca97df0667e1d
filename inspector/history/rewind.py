"""One owner's memory as it was, moved to and fro by a slider."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from inspector.console.asked import ROWS
from inspector.console.door import staff
from inspector.history.runs import ORIGIN
from inspector.history.since import card, compare
from inspector.history.visible import kept_owner
from inspector.history.words import placed, plain
from inspector.http import PageRequest, wants_part
from inspector.whose import note_looks
from knowledge.history.as_of import PastChange, PastMemory, replay
from knowledge.history.rewind import steps_of

TABS = {"facts": "fact", "sessions": "arc", "rules": "rule", "profile": "", "since": ""}
# Links to the moments on either side, and the most that a slider shows as ticks.
AROUND, MOST_TICKS = 3, 200
BEFORE = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Stop:
    """Where the slider can stop: `step` 0 is before anything was known."""

    step: int
    at: datetime
    what: str
    run: UUID | None


@dataclass(frozen=True, slots=True)
class RewindRequest:
    """The moment that was asked for, the stop before it, and what is wrong with the question."""

    at: datetime
    step: int
    fault: str = ""


@require_GET
@staff
def rewound(request: PageRequest, owner: int) -> HttpResponse:
    """Show what was known at a moment, and what has changed since."""
    found = kept_owner(request.user, owner)
    note_looks(request.user, [found.pk], "rewind")
    now = timezone.now()
    steps = steps_of(found)
    stops = _stops(steps)
    asked = _asked(request, stops, now)
    then, today = replay(steps, asked.at), replay(steps, now)
    since = compare(then, today)
    show = request.GET.get("show", "")
    show = show if show in TABS else "facts"
    rows = _rows(then, show) if show != "since" else since
    context = {
        "section": "history",
        "owner": found,
        "asked": asked,
        "stops": stops,
        "last": len(stops) - 1,
        "ticks": stops if len(stops) <= MOST_TICKS else (),
        "around": stops[max(asked.step - AROUND, 0) : asked.step + AROUND + 1],
        "stop": stops[asked.step],
        "is_now": asked.step == len(stops) - 1,
        "then": then,
        "marks": Counter(one.mark for one in since),
        "show": show,
        "counts": _counts(then, len(since)),
        "page": Paginator(rows, ROWS).get_page(request.GET.get("page")),
    }
    template = "history/rewound.html" if wants_part(request) else "history/rewind.html"
    return render(request, template, context, status=422 if asked.fault else 200)


def _stops(steps: Sequence[PastChange]) -> list[Stop]:
    """Return before the first change, and each moment at which something changed."""
    found: list[Stop] = []
    for step in steps:
        if not found:
            found.append(Stop(0, step.at - BEFORE, "before anything was known", None))
        if step.at != found[-1].at:
            found.append(Stop(len(found), step.at, ORIGIN.get(step.origin, step.origin), step.run))
    return found or [Stop(0, timezone.now(), "nothing was ever known", None)]


def _asked(request: PageRequest, stops: Sequence[Stop], now: datetime) -> RewindRequest:
    """Read a moment or a step of the slider; without either, it is now."""
    at, step = request.GET.get("at", ""), request.GET.get("step", "")
    if at:
        try:
            moment = _moment(at)
        except ValueError:
            return _last(
                stops, f"“{at[:40]}” is no date and time. This is the memory as it is now."
            )
        if moment > now:
            return _last(stops, "Nobody knows the future. This is the memory as it is now.")
        return RewindRequest(moment, sum(one.at <= moment for one in stops[1:]))
    if step.isascii() and step.isdigit():
        place = min(int(step[:9]), len(stops) - 1)
        return RewindRequest(stops[place].at, place)
    return RewindRequest(now, len(stops) - 1)


def _last(stops: Sequence[Stop], fault: str) -> RewindRequest:
    return RewindRequest(stops[-1].at, len(stops) - 1, fault)


def _moment(text: str) -> datetime:
    """Return a date and time; one without a zone is in UTC. Raises ValueError."""
    found = datetime.fromisoformat(text)
    try:
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError("beyond the first or the last day") from error


def _rows(then: PastMemory, show: str) -> Sequence[object]:
    if show == "profile":
        return [(placed(path), plain(value)) for path, value in sorted(then.leaves.items())]
    return [card(one) for one in then.active(TABS[show])]


def _counts(then: PastMemory, since: int) -> dict[str, int]:
    counts = {tab: len(then.active(kind)) for tab, kind in TABS.items() if kind}
    return counts | {"profile": len(then.leaves) + bool(then.narrative), "since": since}
