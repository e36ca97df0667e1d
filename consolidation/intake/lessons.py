"""Write down what went wrong: a tool's failure with its context, a user's correction."""

from collections.abc import Mapping, Sequence

from consolidation.jobs.queue import Attempt, enqueue
from consolidation.learning.gate.cues import is_memory_control
from consolidation.learning.request import MODES
from knowledge.workspace.learnings import append_correction, append_error
from knowledge.workspace.signals import failure_in, is_correction
from memory.messages import call_ids, text_of
from memory.models import Event, Session
from memory.redaction import redacted

KIND = "lesson"
USER, MODEL, TOOL = Event.Type.USER_MSG, Event.Type.MODEL_OUTPUT, Event.Type.TOOL_RESULT
# How far back the call of a result, or the answer before a correction, is looked for.
REACH = 20


def note_lessons(*, session: Session, stored: Sequence[Event]) -> None:
    """Make a job for each new event that teaches something, in the caller's transaction."""
    teaching = [event for event in stored if may_teach(event.type, event.content)]
    if not teaching or session.mode not in MODES or not session.owner.agent.learns:
        return
    for event in teaching:
        key = f"{session.pk}:{event.lane}:{event.seq}"
        enqueue(kind=KIND, key=key, subject=f"{KIND}:{session.pk}", owner=session.owner_id)


def may_teach(kind: str, payload: Mapping[str, object]) -> bool:
    """Say whether an event is a failure, or begins as a correction does."""
    if kind == TOOL:
        return bool(failure_in(payload))
    text = text_of(payload)
    return kind == USER and is_correction(text) and not is_memory_control(text)


def run(job: Attempt) -> None:
    """Write down what one event teaches; one that was erased meanwhile teaches nothing."""
    session_id, lane, seq = job.key.split(":")
    rows = Event.objects.audible().select_related("owner__agent")
    event = rows.filter(session_id=session_id, lane=lane, seq=int(seq)).first()
    if event is None or event.payload is None:
        return
    if event.type == TOOL:
        _note_failure(event)
    else:
        _note_correction(event)


def _note_failure(event: Event) -> None:
    tool, context = _call_of(event)
    append_error(
        owner=event.owner,
        at=event.occurred_at,
        tool=tool,
        error=redacted(failure_in(event.content)),
        context=redacted(context),
    )


def _note_correction(event: Event) -> None:
    before = next((one for one in _before(event) if text_of(one.content).strip()), None)
    if before is not None:
        append_correction(
            owner=event.owner,
            at=event.occurred_at,
            original=redacted(text_of(before.content)),
            correction=redacted(text_of(event.content)),
        )


def _call_of(event: Event) -> tuple[str, str]:
    """Return the name of the tool that was called, and what it was asked."""
    name = str(event.content.get("name") or "tool")
    for one in _before(event):
        if event.tool_call_id in call_ids(one.content):
            return _called(one.content, event.tool_call_id) or (name, "")
    return name, ""


def _called(payload: Mapping[str, object], id: str) -> tuple[str, str] | None:
    calls = payload.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        if call.get("id") == id:
            function = call["function"]
            return str(function["name"]), str(function.get("arguments", ""))
    return None


def _before(event: Event) -> list[Event]:
    """Return what the assistant said before an event, newest first."""
    lane = Event.objects.audible().filter(session_id=event.session_id, lane=event.lane, type=MODEL)
    return list(lane.filter(seq__lt=event.seq, payload__isnull=False).order_by("-seq")[:REACH])
