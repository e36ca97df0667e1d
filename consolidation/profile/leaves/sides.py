"""What speaks for a value of the profile: where it came in, when, by which observations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ranking.similarity import token_recall
from ranking.tokens import tokens

UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class ObservedEvent:
    """An observation as far as it matters here. `channel` is a value of Channel's.

    `occasion` is one for all that was noted of one session.
    """

    id: UUID
    type: str
    text: str
    channel: str
    observed_at: datetime
    occasion: str = ""
    connection: UUID | None = None
    message: str = ""

    @property
    def is_correction(self) -> bool:
        return self.type == "correction"


@dataclass(frozen=True, slots=True)
class Side:
    """One value of a leaf and what speaks for it. `sure` is how sure it is already, None if unknown."""

    value: object
    channel: str
    is_correction: bool
    observed_at: datetime
    events: tuple[UUID, ...] = ()
    basis: str = "stated"
    sure: float | None = None


Refs = Mapping[str, ObservedEvent]


def named(refs: Sequence[str], events: Refs) -> list[ObservedEvent]:
    """Return the observations that refs name, in their order, each once."""
    return [events[ref] for ref in dict.fromkeys(refs) if ref in events]


def side_of(value: object, refs: Sequence[str], events: Refs, basis: str = "stated") -> Side:
    """Return a value with the observations it stands on: those named, else all, which says little.

    There must be at least one observation. The newest one's channel counts.
    """
    on = named(refs, events)
    shown = on or list(events.values())
    newest = max(shown, key=lambda event: event.observed_at)
    return Side(
        value=value,
        channel=newest.channel,
        is_correction=(any if on else all)(event.is_correction for event in shown),
        observed_at=newest.observed_at,
        events=tuple(event.id for event in shown),
        basis=basis if on else UNNAMED,
    )


def holds(text: str, value: str) -> bool:
    """Return whether a text holds all of a value's words."""
    words = tokens(value)
    return bool(words) and token_recall(words, tokens(text)) == 1.0
