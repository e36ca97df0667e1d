"""Events as a chat model is shown them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from accounts.models import Agent
from memory.messages import ROLE_OF_TYPE, is_command, text_of
from memory.models import Event
from memory.redaction import redacted
from providers.chat import Line
from providers.quoting import visible

# A model is shown at most this much of a conversation at a time, and of one message even less.
PIECE_CHARACTERS = 20_000
LINE_CHARACTERS = 8_000
RESULT_CHARACTERS = 2_000


def lines_of(
    events: Sequence[Event], agent: Agent, result_characters: int = RESULT_CHARACTERS
) -> list[Line]:
    """Return events as lines, dated where the agent's user is and without secrets.

    Long texts are cut, results of tools sooner.
    """
    zone = ZoneInfo(agent.time_zone)
    most = {Event.Type.TOOL_RESULT.value: result_characters}
    return [
        Line(
            ref=event.reference,
            role=ROLE_OF_TYPE[event.type],
            text=_text(event, most.get(event.type, LINE_CHARACTERS)),
            at=_moment(event.occurred_at, zone),
        )
        for event in events
        if not is_command(event.type, event.content)
    ]


def pieces(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Part lines into what a model is shown at a time."""
    piece: list[Line] = []
    size = 0
    for line in lines:
        if piece and size + len(line.text) > PIECE_CHARACTERS:
            yield piece
            piece, size = [], 0
        piece.append(line)
        size += len(line.text)
    if piece:
        yield piece


def _text(event: Event, most: int) -> str:
    # Before it is cut: half a secret has no form to be known by.
    return _cut(redacted(visible(text_of(event.content))), most)


def _moment(at: datetime, zone: ZoneInfo) -> str:
    """Return a moment as people of a zone name it, the day of the week included."""
    return f"{at.astimezone(zone):%Y-%m-%d %A %H:%M}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + " …"
