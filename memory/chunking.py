"""Events to the blocks they are found as: by skill phase, tool sequence, or one by one (pure)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ChunkedEvent:
    """What chunking needs of an event. `calls` are the ids of the tool calls it makes."""

    seq: int
    speaker: str
    text: str
    occurred_at: datetime
    calls: frozenset[str] = frozenset()
    answers: str = ""
    skill_phase: str = ""


@dataclass(frozen=True, slots=True)
class EventBlock:
    """Consecutive events that are found together."""

    kind: str
    events: Sequence[ChunkedEvent]

    @property
    def text(self) -> str:
        """The words; with several events each line names its speaker."""
        if len(self.events) == 1:
            return self.events[0].text
        return "\n".join(f"{said.speaker}: {said.text}" for said in self.events if said.text)


# How many of the leading events form one block; 0 when the rule does not apply to them.
Chunker = Callable[[Sequence[ChunkedEvent]], int]


def skill_phase(events: Sequence[ChunkedEvent]) -> int:
    phase = events[0].skill_phase
    if not phase:
        return 0
    return _leading(events, lambda said: said.skill_phase == phase)


def tool_sequence(events: Sequence[ChunkedEvent]) -> int:
    """Take a tool call and the results that answer it."""
    calls = events[0].calls
    if not calls:
        return 0
    return 1 + _leading(events[1:], lambda said: said.answers in calls)


def fixed(events: Sequence[ChunkedEvent]) -> int:
    """Take one event: its text is cut to passages of a fixed size afterwards."""
    return 1


CHUNKERS: tuple[tuple[str, Chunker], ...] = (
    ("skill_phase", skill_phase),
    ("tool_sequence", tool_sequence),
    ("fixed", fixed),
)


def blocks(events: Sequence[ChunkedEvent]) -> Iterator[EventBlock]:
    """Cut a lane into blocks, in order; each event stands in exactly one."""
    start = 0
    while start < len(events):
        rest = events[start:]
        kind, size = next((kind, size) for kind, rule in CHUNKERS if (size := rule(rest)))
        yield EventBlock(kind, rest[:size])
        start += size


def _leading(events: Sequence[ChunkedEvent], holds: Callable[[ChunkedEvent], bool]) -> int:
    return next((place for place, said in enumerate(events) if not holds(said)), len(events))
