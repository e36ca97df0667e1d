"""Bring whole conversations in: read a file, and send it the way an agent would."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from django.utils.dateparse import parse_datetime

from accounts.errors import Fault
from accounts.models import Agent
from consolidation.intake import accept_events, end_session
from memory.messages import Draft, Malformed, draft_of
from memory.models import Session
from memory.sessions import open_session

BATCH = 100


class TranscriptUnreadable(Fault):
    """The file is not a conversation."""

    code = "transcript_unreadable"
    hint = "Give JSON lines, or a JSON list, of chat messages: role, content, optional name, occurred_at and session."


@dataclass(frozen=True, slots=True)
class Transcript:
    """One session's worth of messages. `name` is stable: a second import finds the first by it."""

    name: str
    drafts: Sequence[Draft]


def read_transcripts(path: Path) -> list[Transcript]:
    """Read JSON lines, a JSON list, or an object with `messages`; messages may name their `session`.

    Raises TranscriptUnreadable with the number of the message that is wrong.
    """
    rows = [_checked(place, row) for place, row in enumerate(_rows(path), start=1)]
    sessions = groupby(rows, key=lambda row: row[0])
    return [
        Transcript(f"{path.stem}:{name}"[:255], [draft for _, draft in rows])
        for name, rows in ((name, list(group)) for name, group in sessions)
    ]


def import_transcript(
    *, agent: Agent, user: str, transcript: Transcript, progress: Callable[[int], object]
) -> Session:
    """Append what is missing and end the session. Run again, it goes on where it stopped."""
    done = Session.objects.filter(
        owner__agent=agent, owner__key=user, external_id=transcript.name
    ).exclude(state=Session.State.OPEN)
    if found := done.first():
        progress(len(transcript.drafts))
        return found
    session = open_session(agent=agent, user=user, external_id=transcript.name).session
    for start in range(0, len(transcript.drafts), BATCH):
        batch = transcript.drafts[start : start + BATCH]
        key = f"import:{session.pk}:{start}"
        accept_events(agent=agent, session=session, drafts=batch, key=key)
        progress(len(batch))
    end_session(session=session, reason=Session.EndReason.IMPORT)
    return session


def _rows(path: Path) -> Iterator[object]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TranscriptUnreadable(f"{path.name}: {type(error).__name__}") from error
    try:
        whole = json.loads(text)
    except json.JSONDecodeError:
        yield from _lines(text)
        return
    if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
        whole = whole["messages"]
    yield from whole if isinstance(whole, list) else [whole]


def _lines(text: str) -> Iterator[object]:
    for place, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                raise TranscriptUnreadable(f"line {place} is not JSON") from error


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
    if "\x00" in json.dumps(draft.payload, ensure_ascii=False) or "\\u0000" in json.dumps(
        draft.payload
    ):
        raise TranscriptUnreadable(f"message {place} holds NUL, which cannot be stored")
    return str(row.get("session", "1")), draft
