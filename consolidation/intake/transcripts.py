"""Bring whole conversations in: read a file, and send it the way an agent would."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.utils.dateparse import parse_datetime

from accounts.errors import Fault
from accounts.models import Agent
from consolidation.intake.accept import accept_events, end_session
from consolidation.intake.exports.formats import as_rows
from memory.messages import Draft, Malformed, draft_of
from memory.models import Event, Session
from memory.sessions import open_session
from memory.strict_json import InvalidJson, read_json

# In one transaction, and one COPY.
BATCH = 1_000
LONGEST_NAME = 255


class TranscriptUnreadable(Fault):
    """The file is not a conversation."""

    code = "transcript_unreadable"
    hint = "Give JSON lines, or a JSON list, of chat messages: role, content, optional name, occurred_at and session; or an export of ChatGPT, Claude or mem0."


class TranscriptDiffers(Fault):
    """The session that a transcript names holds something else."""

    code = "transcript_differs"
    status = 409
    hint = "Nothing of it was stored. Rename the file, or its session, and import it again."


@dataclass(frozen=True, slots=True)
class Transcript:
    """One session's worth of messages. `name` is stable: a second import finds the first by it."""

    name: str
    drafts: Sequence[Draft]


def read_transcripts(path: Path) -> list[Transcript]:
    """Read JSON lines, a JSON list, or an object with `messages`; messages may name their `session`.

    Raises TranscriptUnreadable with the number of the message that is wrong.
    """
    sessions: dict[str, list[Draft]] = defaultdict(list)
    for place, row in enumerate(_rows(path), start=1):
        name, draft = _checked(place, row)
        sessions[f"{path.stem}:{name}"].append(draft)
    return [_named(name, drafts) for name, drafts in sessions.items()]


def import_transcript(
    *, agent: Agent, user: str, transcript: Transcript, progress: Callable[[int], object]
) -> Session:
    """Append what is missing and end the session. Run again, it goes on where it stopped.

    Raises TranscriptDiffers when the session holds other messages, or has ended with fewer.
    """
    named = Session.objects.filter(owner__agent=agent, owner__key=user, external_id=transcript.name)
    if ended := named.exclude(state=Session.State.OPEN).first():
        if _missing(ended, transcript):
            raise TranscriptDiffers(f"session {transcript.name} has ended with fewer messages")
        progress(len(transcript.drafts))
        return ended
    session = open_session(agent=agent, user=user, external_id=transcript.name).session
    missing = _missing(session, transcript)
    done = len(transcript.drafts) - len(missing)
    progress(done)
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        key = f"import:{session.pk}:{done + start}"
        accept_events(agent=agent, session=session, drafts=batch, key=key, is_import=True)
        progress(len(batch))
    end_session(session=session, reason=Session.EndReason.IMPORT)
    return session


def _missing(session: Session, transcript: Transcript) -> Sequence[Draft]:
    """Return what the session has not got yet. Raises TranscriptDiffers."""
    stored: dict[str, deque[Event]] = defaultdict(deque)
    for event in session.events.in_order():
        stored[event.lane].append(event)
    missing = []
    for draft in transcript.drafts:
        if not stored[draft.lane]:
            missing.append(draft)
        elif not _is_kept(stored[draft.lane].popleft(), draft):
            raise TranscriptDiffers(f"session {transcript.name} holds other messages")
    if any(stored.values()):
        raise TranscriptDiffers(f"session {transcript.name} holds more messages")
    return missing


def _is_kept(event: Event, draft: Draft) -> bool:
    # Of an erased one nothing is left to compare.
    return event.type == draft.type and event.payload in (draft.payload, None)


def _named(name: str, drafts: Sequence[Draft]) -> Transcript:
    if len(name) > LONGEST_NAME:
        raise TranscriptUnreadable(f"a session's name is longer than {LONGEST_NAME} characters")
    return Transcript(name, drafts)


def _rows(path: Path) -> Iterator[object]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise TranscriptUnreadable(f"{path.name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TranscriptUnreadable(f"{path.name} is not UTF-8") from error
    try:
        whole = read_json(text)
    except InvalidJson:
        yield from _lines(text)
        return
    try:
        whole = as_rows(whole)
    except Malformed as error:
        raise TranscriptUnreadable(f"{path.name}: {error}") from error
    if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
        whole = whole["messages"]
    yield from whole if isinstance(whole, list) else [whole]


def _lines(text: str) -> Iterator[object]:
    # Not `splitlines`: a string of JSON may hold what that takes for the end of a line.
    for place, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield read_json(line)
            except InvalidJson as error:
                raise TranscriptUnreadable(f"line {place}: {error}") from error


def _checked(place: int, row: object) -> tuple[str, Draft]:
    if not isinstance(row, Mapping):
        raise TranscriptUnreadable(f"message {place} is not an object")
    when = row.get("occurred_at")
    try:
        moment = parse_datetime(when) if isinstance(when, str) else None
        if when is not None and (moment is None or moment.tzinfo is None):
            raise Malformed("occurred_at must be a time with its zone, like 2026-05-08T09:30:00Z")
        draft = draft_of({**row, "occurred_at": moment})
    except (Malformed, ValueError) as error:
        raise TranscriptUnreadable(f"message {place}: {error}") from error
    return str(row.get("session", "1")), draft
