"""Incognito sessions over HTTP: the same addresses and answers, kept nowhere but in memory."""

from collections.abc import Callable, Mapping
from typing import TypeVar
from uuid import UUID

from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import fingerprint
from accounts.sealed.keeping import RecordState
from api.authentication import caller_of
from api.idempotency import key_of
from crisis.log import EPHEMERAL as CRISES
from crisis.log import Detection, report_crisis
from feedback.record import EPHEMERAL as LABELS
from feedback.record import record_feedback
from memory.errors import ModeUnavailable
from memory.hashing import canonical
from memory.incognito import ask_rooms, rooms
from memory.messages import Draft
from memory.rooms import RoomEvent, RoomMissing, RoomStatus
from recall.prompt.given import Given
from recall.prompt.incognito import assemble_bare

Found = TypeVar("Found")


def open_room(request: Request) -> Response:
    """Open a session that is nobody's: neither user nor external id nor metadata is kept."""
    agent = caller_of(request).agent
    store = rooms()
    look = _ask(lambda: store.open(agent.pk))
    return _answer(_shown(look), status.HTTP_201_CREATED)


def show_room(request: Request, session: UUID) -> Response:
    agent = caller_of(request).agent
    return _answer(_shown(_ask(lambda: rooms().look(agent.pk, session))))


def append(request: Request, session: UUID, drafts: list[Draft]) -> Response:
    agent, key = caller_of(request).agent, key_of(request)
    sent = fingerprint(*(_content(draft) for draft in drafts)) if key else b""
    said, repeated = _ask(lambda: rooms().append(agent.pk, session, drafts, key, sent))
    code = status.HTTP_200_OK if repeated else status.HTTP_201_CREATED
    return _answer({"events": [_receipt(one) for one in said]}, code)


def events(request: Request, session: UUID, *, lane: str, after: int, limit: int) -> Response:
    agent = caller_of(request).agent
    said = _ask(lambda: rooms().said(agent.pk, session, lane))
    found = [one for one in said if one.seq > after]
    more = str(found[limit - 1].seq) if len(found) > limit else None
    return _answer({"results": [_event(one) for one in found[:limit]], "next": more})


def context(
    request: Request,
    session: UUID,
    *,
    lane: str,
    max_tokens: int | None,
    query: str | None,
    given: Given,
) -> Response:
    """Answer with the prompt; a query finds nothing, because nothing is searched."""
    agent = caller_of(request).agent
    said = _ask(lambda: rooms().said(agent.pk, session, lane))
    prompt = assemble_bare(agent=agent, said=said, lane=lane, max_tokens=max_tokens, given=given)
    shown = {"messages": prompt.messages, "tools": prompt.tools, "tokens": prompt.tokens}
    rest = {"receipt": None, "degraded": None, "left_out": prompt.left_out}
    return _answer(shown | rest)


def crisis(
    request: Request, session: UUID, *, id: UUID | None, detection: Detection
) -> RecordState:
    """Record a detection in this process alone, of nobody; return what became of it."""
    agent = caller_of(request).agent
    _ask(lambda: rooms().look(agent.pk, session))
    return report_crisis(session=session, owner=None, detection=detection, id=id, ledger=CRISES)


def end(request: Request, session: UUID, *, feedback: str | None) -> Response:
    agent = caller_of(request).agent
    said = _ask(lambda: rooms().said(agent.pk, session, "edge"))
    if feedback is not None:
        turns = sum(one.type == "UserMsg" for one in said)
        record_feedback(session=session, owner=None, label=feedback, turns=turns, ledger=LABELS)
    look = _ask(lambda: rooms().end(agent.pk, session))
    return _answer(_shown(look) | {"steps": []})


def _ask(act: Callable[[], Found]) -> Found:
    """Ask the rooms; what is not there is not found."""
    try:
        return ask_rooms(act)
    except (RoomMissing, ModeUnavailable):
        raise NotFound from None


def _answer(body: Mapping[str, object], code: int = status.HTTP_200_OK) -> Response:
    return Response(body, status=code, headers={"Cache-Control": "no-store"})


def _content(draft: Draft) -> bytes:
    return canonical([draft.type, draft.payload, draft.lane, draft.tool_call_id])


def _receipt(one: RoomEvent) -> dict[str, object]:
    return {"id": one.id, "lane": one.lane, "seq": one.seq, "hash": None, "tokens": one.tokens}


def _event(one: RoomEvent) -> dict[str, object]:
    return _receipt(one) | {
        "type": one.type,
        "payload": one.payload,
        "tool_call_id": one.tool_call_id,
        "skill_phase": one.skill_phase,
        "occurred_at": one.occurred_at,
        "committed_at": one.committed_at,
    }


def _shown(look: RoomStatus) -> dict[str, object]:
    return {
        "id": look.id,
        "external_id": None,
        "state": "closed" if look.ended_at else "open",
        "mode": "incognito",
        "strategy": None,
        "metadata": {},
        "end_reason": "explicit" if look.ended_at else None,
        "opened_at": look.opened_at,
        "last_event_at": look.last_event_at,
        "ended_at": look.ended_at,
        "tier": None,
        "summary": None,
    }
