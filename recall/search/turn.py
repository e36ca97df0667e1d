"""What one turn is reminded of: the facts and arcs that answer its words."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import cast
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from accounts.billing import charged_to
from accounts.models import LearningPolicy, Owner
from knowledge.overview import Overview, overview
from knowledge.stores.base import (
    Kind,
    Match,
    Namespace,
    Record,
    Store,
    StoreQuery,
    Value,
    model_name,
)
from knowledge.stores.database import DATABASE
from recall.search.questions.question import Question, SearchMode, prepare
from recall.search.ranking_profiles import PROFILES

SEMANTIC_CANDIDATES = 20
SEMANTIC_ENTRIES = 5
EPISODIC_ENTRIES = 2
MAX_AGE = timedelta(days=30)
# So many records are read faster than they are looked up.
FEW = 1_000


class Path(StrEnum):
    """How a turn's memory was found."""

    HYBRID = "hybrid_rrf"
    WORDS = "token_recall"
    WORDS_AFTER_ERROR = "token_recall_after_embed_error"
    EMPTY = "skipped_empty_store"


@dataclass(frozen=True, slots=True)
class SemanticEntry:
    """A fact as a turn has it: the whole triple, and the quote it is from.

    `statement` is the fact in a sentence that stands alone, empty where it has none. One whose
    `holds_until` is over is history.
    """

    id: UUID
    category: str
    subject_type: str
    subject: str
    predicate: str
    object_type: str
    object: str
    evidence_quote: str
    source_class: str
    score: float
    type: str = "semantic"
    statement: str = ""
    said_at: datetime | None = None
    holds_until: date | None = None


@dataclass(frozen=True, slots=True)
class EpisodicEntry:
    """An earlier session as a turn has it. A latest arc that no query found has the score 0."""

    id: UUID
    session: UUID
    summary: str
    themes: tuple[str, ...]
    mood_opened: str
    mood_closed: str
    open_loops: tuple[str, ...]
    ended_at: datetime
    source_class: str
    score: float
    type: str = "episodic"


WorkingMemoryEntry = SemanticEntry | EpisodicEntry


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How the turn's memory was found, in numbers and codes; no word of anyone's."""

    load_memory_ms: float
    semantic_hits: int
    semantic_store_size: int
    episodic_hits: int
    episodic_store_size: int
    procedural_count: int
    proactive_recall: bool
    retrieval_path: Path


@dataclass(frozen=True, slots=True)
class TurnMemory:
    """The entries of a turn, episodic before semantic."""

    entries: tuple[WorkingMemoryEntry, ...]
    diagnostics: Diagnostics


def load_turn(
    *,
    owner: Owner,
    query: str,
    is_first_turn: bool,
    question: Question | None = None,
    store: Store = DATABASE,
) -> TurnMemory:
    """Return what the turn is reminded of; a model that fails costs quality, never the turn.

    `question` is the query as `prepare` made it, where it is asked elsewhere too. An empty store
    asks no model.
    """
    began = time.monotonic()
    sizes = overview(owner)
    # Whoever talks with an assistant wants it to use what it knows; nobody is asked first.
    is_assistant = owner.agent.learning_policy == LearningPolicy.ASSISTANT
    if not sizes.has_memory:
        return TurnMemory((), _diagnostics(began, sizes, Path.EMPTY, is_assistant=is_assistant))
    question = question or _prepared(owner, query)
    sought = _sought(query, question)
    facts = _facts(store, owner, replace(sought, among_many=sizes.semantic > FEW))
    young = replace(sought, since=timezone.now() - MAX_AGE, among_many=sizes.episodic > FEW)
    found = _arcs(store, owner, young)
    latest = _latest(store, owner) if is_first_turn else []
    entries: tuple[WorkingMemoryEntry, ...] = (*_once([*found, *latest]), *facts[:SEMANTIC_ENTRIES])
    hits = (len(facts), len(found))
    path = _path(question)
    return TurnMemory(entries, _diagnostics(began, sizes, path, hits, is_assistant=is_assistant))


def _prepared(owner: Owner, query: str) -> Question | None:
    if not query.strip():
        return None
    profile = PROFILES[settings.RANKING_PROFILE]
    with charged_to(owner):
        return prepare(owner.agent, query, SearchMode.HYBRID, profile)


def _sought(query: str, question: Question | None) -> StoreQuery:
    if question is None or question.space is None:
        return StoreQuery(query)
    return StoreQuery(query, question.vector, model_name(question.space))


def _path(question: Question | None) -> Path:
    if question is not None and question.vector is not None:
        return Path.HYBRID
    # Where no text has a vector yet nothing went wrong.
    is_failure = question is not None and question.degraded not in {"", "no_vectors_yet"}
    return Path.WORDS_AFTER_ERROR if is_failure else Path.WORDS


def _facts(store: Store, owner: Owner, sought: StoreQuery) -> list[SemanticEntry]:
    place = Namespace(owner, Kind.SEMANTIC)
    return [_fact(match) for match in store.similar(place, sought, limit=SEMANTIC_CANDIDATES)]


def _arcs(store: Store, owner: Owner, sought: StoreQuery) -> list[EpisodicEntry]:
    place = Namespace(owner, Kind.EPISODIC)
    found = store.similar(place, sought, limit=EPISODIC_ENTRIES)
    return [_arc(match.record, match.score) for match in found]


def _latest(store: Store, owner: Owner) -> list[EpisodicEntry]:
    return [_arc(record, 0.0) for record in store.latest(Namespace(owner, Kind.EPISODIC))]


def _once(arcs: Iterable[EpisodicEntry]) -> list[EpisodicEntry]:
    """Leave out arcs that say what one before them says."""
    by_words: dict[tuple[str, tuple[str, ...]], EpisodicEntry] = {}
    for arc in arcs:
        by_words.setdefault((arc.summary, arc.themes), arc)
    return list(by_words.values())


def _fact(match: Match) -> SemanticEntry:
    value = match.record.value
    return SemanticEntry(
        id=match.record.key,
        category=str(value["category"]),
        subject_type=str(value["subject_type"]),
        subject=str(value["subject"]),
        predicate=str(value["predicate"]),
        object_type=str(value["object_type"]),
        object=str(value["object"]),
        evidence_quote=str(value["evidence_quote"]),
        source_class=str(value["source_class"]),
        score=match.score,
        statement=str(value["statement"]),
        said_at=cast("datetime | None", value["said_at"]),
        holds_until=cast("date | None", value["holds_until"]),
    )


def _arc(record: Record, score: float) -> EpisodicEntry:
    value = record.value
    return EpisodicEntry(
        id=record.key,
        session=cast("UUID", value["session"]),
        summary=str(value["summary"]),
        themes=_texts(value, "themes"),
        mood_opened=str(value["mood_opened"]),
        mood_closed=str(value["mood_closed"]),
        open_loops=_texts(value, "open_loops"),
        ended_at=cast("datetime", value["ended_at"]),
        source_class=str(value["source_class"]),
        score=score,
    )


def _texts(value: Value, name: str) -> tuple[str, ...]:
    return tuple(cast("list[str]", value[name]))


def _diagnostics(
    began: float,
    sizes: Overview,
    path: Path,
    hits: tuple[int, int] = (0, 0),
    *,
    is_assistant: bool = False,
) -> Diagnostics:
    return Diagnostics(
        load_memory_ms=round((time.monotonic() - began) * 1000, 2),
        semantic_hits=hits[0],
        semantic_store_size=sizes.semantic,
        episodic_hits=hits[1],
        episodic_store_size=sizes.episodic,
        procedural_count=sizes.procedural,
        proactive_recall=sizes.proactive_recall or is_assistant,
        retrieval_path=path,
    )
