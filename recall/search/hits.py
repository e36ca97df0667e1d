"""What a search returns, by what filters, and the signals of a score."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Filters:
    """What a result must satisfy; None asks nothing. `as_of` rewinds to what had ended by then."""

    session: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    speaker: str | None = None

    @property
    def is_empty(self) -> bool:
        return self == Filters()


@dataclass(frozen=True, slots=True)
class Signals:
    """What the score is made of, each as it was before its weight; 0 where there is no evidence.

    `recall.search.ranking_profiles.Profile` says what each is. `meaning` may be negative: less than usual.
    """

    words: float = 0.0
    meaning: float = 0.0
    neighbours: float = 0.0
    reply: float = 0.0
    session: float = 0.0
    summary: float = 0.0
    learned: float = 0.0
    time: float = 0.0
    names_speaker: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A block found: its best passage, and the events that it stands for."""

    id: UUID
    session: UUID
    lane: str
    first_seq: int
    last_seq: int
    block: int
    text: str
    tokens: int
    speaker: str
    occurred_at: datetime
    tier: str
    has_vector: bool
    score: float
    signals: Signals
    events: list[UUID]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first. `degraded` names what was missing; empty when nothing was."""

    hits: list[Hit] = field(default_factory=list)
    searched_by: str = "words"
    degraded: str = ""
    profile: str = ""
