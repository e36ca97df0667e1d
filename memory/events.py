"""Append to a session's log, and verify its chain."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.utils import timezone
from psycopg import Cursor
from psycopg.types.json import Jsonb

from accounts.ids import new_id
from memory.budget import estimate_message
from memory.errors import SessionClosed
from memory.hashing import FIRST, commitment, event_hash
from memory.messages import Draft, text_of
from memory.models import Event, LaneWindow, Session

COLUMNS = (
    "id",
    "owner_id",
    "session_id",
    "lane",
    "seq",
    "type",
    "payload",
    "salt",
    "commitment",
    "prev_hash",
    "hash",
    "tokens",
    "tool_call_id",
    "skill_phase",
    "occurred_at",
    "committed_at",
)
COPY = f"copy memory_event ({', '.join(COLUMNS)}) from stdin"
VALUES = ", ".join(["%s"] * len(COLUMNS))
INSERT = f"insert into memory_event ({', '.join(COLUMNS)}) values ({VALUES})"  # noqa: S608 - literals
# Both rows are locked: a writer that waited reads what the one before it wrote.
LOCK = """
select session.state, lane.lane, lane.last_seq, lane.head
from memory_session session join memory_lanewindow lane on lane.session_id = session.id
where session.id = %s for update
"""
ADVANCE = """
with moved as (
  update memory_lanewindow old set last_seq = new.last_seq, head = new.head
  from unnest(%s::text[], %s::int[], %s::bytea[]) as new (lane, last_seq, head)
  where old.session_id = %s and old.lane = new.lane
)
update memory_session set last_event_at = %s where id = %s
"""


@dataclass(slots=True)
class Head:
    """Where a lane's chain ends."""

    seq: int
    hash: bytes


def append_events(*, session: Session, drafts: Sequence[Draft]) -> list[Event]:
    """Store the drafts, numbered and chained in their order, all or none, in the caller's transaction.

    One writer at a time holds the session's row, so that `seq` has no gaps and the chain is one.
    Raises SessionClosed if the session has ended.
    """
    connection.ensure_connection()
    # The driver itself: the path of every event is three statements, prepared and without the ORM.
    with Cursor(connection.connection) as cursor:
        heads = _lock(cursor, session)
        now = timezone.now()
        events = [_chain(session, heads[draft.lane], draft, now) for draft in drafts]
        _store(cursor, events)
        lanes = list({draft.lane for draft in drafts})
        seqs, hashes = [heads[lane].seq for lane in lanes], [heads[lane].hash for lane in lanes]
        cursor.execute(ADVANCE, (lanes, seqs, hashes, session.pk, now, session.pk), prepare=True)
    return events


def _lock(cursor: Cursor, session: Session) -> dict[str, Head]:
    rows = cursor.execute(LOCK, (session.pk,), prepare=True).fetchall()
    if not rows or rows[0][0] != Session.State.OPEN:
        raise SessionClosed(f"session {session.pk} takes no more events")
    return {lane: Head(seq, bytes(head)) for _, lane, seq, head in rows}


def _chain(session: Session, head: Head, draft: Draft, now: datetime) -> Event:
    salt = secrets.token_bytes(32)
    bound = commitment(salt, draft.payload)
    previous = head.hash or FIRST
    head.seq += 1
    head.hash = event_hash(
        session=session.pk,
        lane=draft.lane,
        seq=head.seq,
        kind=draft.type,
        commitment=bound,
        prev_hash=previous,
    )
    return Event(
        id=new_id(),
        owner_id=session.owner_id,
        session=session,
        lane=draft.lane,
        seq=head.seq,
        type=draft.type,
        payload=draft.payload,
        salt=salt,
        commitment=bound,
        prev_hash=previous,
        hash=head.hash,
        tokens=estimate_message(text_of(draft.payload)),
        tool_call_id=draft.tool_call_id,
        skill_phase=draft.skill_phase,
        occurred_at=draft.occurred_at or now,
        committed_at=now,
    )


def _store(cursor: Cursor, events: Sequence[Event]) -> None:
    rows = ([_field(event, name) for name in COLUMNS] for event in events)
    if len(events) == 1:
        cursor.execute(INSERT, next(rows), prepare=True)
        return
    with cursor.copy(COPY) as copy:
        for row in rows:
            copy.write_row(row)


def _field(event: Event, name: str) -> object:
    value = getattr(event, name)
    return Jsonb(value) if name == "payload" else value


@dataclass(frozen=True, slots=True)
class Break:
    """Where a chain does not hold, and what is wrong there."""

    session: UUID
    lane: str
    seq: int
    why: str


def verify_chain(session: Session) -> list[Break]:
    """Recompute both lanes from their rows; the empty list means that every event is as committed.

    Each lane's last event must be its window's head, so a cut tail shows as well.
    """
    breaks: list[Break] = []
    for window in LaneWindow.objects.filter(session=session).order_by("lane"):
        events = Event.objects.filter(session=session, lane=window.lane).order_by("seq")
        breaks += _verify_lane(window, events.iterator())
    return breaks


def _verify_lane(window: LaneWindow, events: Iterable[Event]) -> list[Break]:
    breaks, previous, seq = [], FIRST, 0
    for event in events:
        seq += 1
        why = _fault_of(event, seq, previous)
        if why:
            breaks.append(Break(window.session_id, window.lane, event.seq, why))
        seq, previous = event.seq, bytes(event.hash)
    if seq != window.last_seq or (seq and previous != bytes(window.head)):
        breaks.append(Break(window.session_id, window.lane, seq, "the log ends before its head"))
    return breaks


def _fault_of(event: Event, seq: int, previous: bytes) -> str:
    """Return what is wrong with one event, or the empty string."""
    bound = bytes(event.commitment)
    expected = event_hash(
        session=event.session_id,
        lane=event.lane,
        seq=event.seq,
        kind=event.type,
        commitment=bound,
        prev_hash=previous,
    )
    if event.seq != seq:
        return f"expected event {seq}"
    if bytes(event.prev_hash) != previous or bytes(event.hash) != expected:
        return "the hash does not follow from the event before"
    if event.salt is not None and commitment(bytes(event.salt), event.payload) != bound:
        return "the payload is not the one committed to"
    return ""
