"""Append to a session's log, and verify its chain."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection
from psycopg import Cursor
from psycopg.types.json import Jsonb

from accounts.driver import raw, run
from accounts.ids import new_id
from memory.append_sql import ADVANCE, APPEND, COLUMNS, COPY, LOCK, PLACE
from memory.budget import estimate_message
from memory.errors import SessionClosed
from memory.hashing import FIRST, bind, canonical, commitment, event_hash
from memory.messages import Draft, spoken
from memory.models import Event, LaneWindow, Session

Fields = dict[str, object]


@dataclass(slots=True)
class Head:
    """Where a lane's chain ends, and when this write began."""

    seq: int
    hash: bytes
    now: datetime


def append_events(*, session: Session, drafts: Sequence[Draft]) -> list[Event]:
    """Store the drafts, numbered and chained in their order, all or none.

    One writer at a time holds the session's row, so that `seq` has no gaps and the chain is one.
    Several drafts need the caller's transaction; one alone is a transaction by itself. Raises
    SessionClosed if the session has ended.
    """
    if len(drafts) == 1:
        return [_append_one(session, drafts[0])]
    with connection.wrap_database_errors, Cursor(raw()) as cursor:
        return _append_batch(cursor, session, drafts)


def _append_one(session: Session, draft: Draft) -> Event:
    _, own = _own(draft)
    rows = run(APPEND, own | {"session": session.pk, "first": FIRST})
    if not rows:
        raise _closed(session)
    return _event(draft, own | dict(zip(PLACE, rows[0], strict=True)))


def _append_batch(cursor: Cursor, session: Session, drafts: Sequence[Draft]) -> list[Event]:
    heads = _lock(cursor, session)
    rows = [_chain(session, heads[draft.lane], draft) for draft in drafts]
    with cursor.copy(COPY) as copy:
        copy.set_types(list(COLUMNS.values()))
        for row in rows:
            copy.write_row([row[name] for name in COLUMNS])
    lanes = list({draft.lane for draft in drafts})
    seqs, hashes = [heads[lane].seq for lane in lanes], [heads[lane].hash for lane in lanes]
    cursor.execute(ADVANCE, (lanes, seqs, hashes, session.pk), prepare=True)
    return [_event(draft, row) for draft, row in zip(drafts, rows, strict=True)]


def _lock(cursor: Cursor, session: Session) -> dict[str, Head]:
    rows = cursor.execute(LOCK, (session.pk,), prepare=True, binary=True).fetchall()
    if not rows:
        raise _closed(session)
    return {lane: Head(seq, head or FIRST, now) for lane, seq, head, now in rows}


def _closed(session: Session) -> SessionClosed:
    return SessionClosed(f"session {session.pk} takes no more events")


def _own(draft: Draft) -> tuple[bytes, Fields]:
    """Return an event's commitment, and all it is before it has a place in the chain."""
    salt, content = secrets.token_bytes(32), canonical(draft.payload)
    bound = bind(salt, content)
    return bound, {
        "id": new_id(),
        "lane": draft.lane,
        "type": draft.type,
        "payload": Jsonb(content, dumps=bytes),
        "salt": salt,
        "commitment": bound,
        "tokens": estimate_message(spoken(draft.type, draft.payload)),
        "tool_call_id": draft.tool_call_id,
        "skill_phase": draft.skill_phase,
        "occurred_at": draft.occurred_at,
    }


def _chain(session: Session, head: Head, draft: Draft) -> Fields:
    """Return an event's fields at the end of its lane, which moves on to it."""
    (bound, own), previous = _own(draft), head.hash
    head.seq += 1
    head.hash = event_hash(
        session=session.pk,
        lane=draft.lane,
        seq=head.seq,
        kind=draft.type,
        commitment=bound,
        prev_hash=previous,
    )
    return own | {
        "owner_id": session.owner_id,
        "session_id": session.pk,
        "seq": head.seq,
        "prev_hash": previous,
        "hash": head.hash,
        "occurred_at": draft.occurred_at or head.now,
        "committed_at": head.now,
    }


def _event(draft: Draft, fields: Fields) -> Event:
    stored = fields | {"payload": draft.payload}
    return Event.from_db(DEFAULT_DB_ALIAS, list(COLUMNS), [stored[name] for name in COLUMNS])


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
