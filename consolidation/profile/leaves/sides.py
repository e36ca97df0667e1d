"""What speaks for a value of the scaffold: where it came in, when, by which observations (pure)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ranking.similarity import token_recall
from ranking.tokens import meaningful, tokens

# Of a value's words this many must stand in an observation that bears it out.
ENOUGH = 0.6


@dataclass(frozen=True, slots=True)
class Observed:
    """An observation as far as it matters here. `channel` is a value of Channel's."""

    id: UUID
    type: str
    text: str
    channel: str
    observed_at: datetime

    @property
    def is_correction(self) -> bool:
        return self.type == "correction"


@dataclass(frozen=True, slots=True)
class Side:
    """One value of a leaf and what speaks for it; `is_quoted` when its words were observed."""

    value: object
    channel: str
    is_correction: bool
    observed_at: datetime
    events: tuple[UUID, ...] = ()
    is_quoted: bool = True


def evidence_of(path: str, value: object, events: Sequence[Observed]) -> list[Observed]:
    """Return the observations that say a value, in their order."""
    said = _words(path, value)
    return [one for one in events if said and _says(one.text, said)]


def side_of(path: str, value: object, events: Sequence[Observed]) -> Side:
    """Return what speaks for a value: the observations that say it, else all that were shown.

    There must be at least one. The strongest of the newest ones counts.
    """
    found = evidence_of(path, value, events)
    shown = found or list(events)
    newest = max(shown, key=lambda one: one.observed_at)
    return Side(
        value=value,
        channel=newest.channel,
        is_correction=any(one.is_correction for one in shown),
        observed_at=newest.observed_at,
        events=tuple(one.id for one in shown),
        is_quoted=bool(found),
    )


def says(text: str, value: str) -> bool:
    """Say whether a text holds most of a value's words."""
    words = meaningful(value)
    return bool(words) and _says(text, words)


def holds(text: str, value: str) -> bool:
    """Say whether a text holds all of a value's words."""
    words = tokens(value)
    return bool(words) and token_recall(words, tokens(text)) == 1.0


def _words(path: str, value: object) -> list[str]:
    """Return the words of a value; what is short or no text says little without its key."""
    text = " ".join(_texts(value))
    words = meaningful(text)
    if isinstance(value, str | list) and len("".join(words)) > 2:
        return words
    return [*tokens(path.rpartition("/")[2]), *tokens(text)]


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    return [] if value is None else [str(value)]


def _says(text: str, words: Sequence[str]) -> bool:
    return token_recall(words, tokens(text)) >= ENOUGH
