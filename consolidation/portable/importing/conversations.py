"""The conversations of an export, written to the log with chains of their own."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Owner
from consolidation.intake.session_ends import request_end
from consolidation.portable.importing.ids import Ids
from consolidation.portable.reading.checking import Row, id_of, text_of
from consolidation.portable.reading.document import Export
from consolidation.portable.reading.shapes import draft_of_row
from knowledge.imports.items import ImportTally
from memory.models import Event, Session
from memory.restoring import RestoredEvent, restore_session

Counts = dict[str, dict[str, int]]
Keep = Callable[[], AbstractContextManager[object]]
OF_SESSION = frozenset(
    {
        "external_id",
        "mode",
        "strategy",
        "metadata",
        "end_reason",
        "opened_at",
        "last_event_at",
        "ended_at",
        "crisis_level_max",
        "summary",
    }
)


def take_sessions(
    owner: Owner, export: Export, ids: Ids, keep: Keep, progress: Callable[[int], object]
) -> Counts:
    counts, by_session = count_sessions(owner, export, ids), _events_of(export)
    done, there = 0, _there(owner, export, ids)
    for row in export.rows(Session):
        events = by_session.get(row["id"], [])
        done += 1 + len(events)
        if ids.of(id_of(row)) not in there:
            with keep(), transaction.atomic():
                _take_session(owner, row, events, ids)
        progress(done)
    return counts


def _take_session(owner: Owner, row: Row, events: Sequence[Row], ids: Ids) -> None:
    told = [
        RestoredEvent(draft, at, is_muted=bool(event.get("muted_by")))
        for event in events
        if (draft := draft_of_row(event)) and isinstance(at := event.get("committed_at"), datetime)
    ]
    fields = {name: value for name, value in row.items() if name in OF_SESSION}
    fields.setdefault("opened_at", timezone.now())
    made = restore_session(owner=owner, id=ids.of(id_of(row)), fields=fields, told=told)
    request_end(made, reason=Session.EndReason.IMPORT)


def count_sessions(owner: Owner, export: Export, ids: Ids) -> Counts:
    there = _there(owner, export, ids)
    rows = export.rows(Session)
    known = sum(ids.of(id_of(row)) in there for row in rows)
    words = [row for row in export.rows(Event) if row.get("payload") is not None]
    old = sum(ids.of(id_of(row, "session_id")) in there for row in words)
    tallies = {
        "sessions": ImportTally(len(rows) - known, known),
        "events": ImportTally(len(words) - old, old, len(export.rows(Event)) - len(words)),
    }
    return {name: tally.counts() for name, tally in tallies.items() if tally.counts()}


def _there(owner: Owner, export: Export, ids: Ids) -> set[UUID]:
    new = [ids.of(id_of(row)) for row in export.rows(Session)]
    return set(Session.objects.filter(owner=owner, pk__in=new).values_list("pk", flat=True))


def _events_of(export: Export) -> dict[object, list[Row]]:
    """Return the events of each session, as they were committed."""
    found: dict[object, list[Row]] = {}
    for row in sorted(export.rows(Event), key=_place):
        found.setdefault(row["session_id"], []).append(row)
    return found


def _place(row: Row) -> tuple[str, str, int]:
    seq = row.get("seq")
    return str(row.get("committed_at")), text_of(row, "lane"), seq if isinstance(seq, int) else 0


def references_of(owner: Owner, export: Export, ids: Ids) -> dict[str, str]:
    """Return what each event's reference of the file is here; of erased ones there is none."""
    told: dict[tuple[UUID, str], list[Row]] = {}
    for row in sorted(export.rows(Event), key=lambda one: _place(one)[2]):
        if row.get("payload") is not None and row.get("reference"):
            place = (ids.of(id_of(row, "session_id")), text_of(row, "lane"))
            told.setdefault(place, []).append(row)
    stored = Event.objects.filter(owner=owner, session__in={session for session, _ in told})
    here: dict[tuple[UUID, str], list[str]] = {}
    for event in stored.order_by("seq").only("session", "lane", "hash").iterator():
        here.setdefault((event.session_id, event.lane), []).append(event.reference)
    return {
        text_of(row, "reference"): new
        for place, rows in told.items()
        for row, new in zip(rows, here.get(place, []), strict=False)
    }
