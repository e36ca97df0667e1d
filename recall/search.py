"""Find the blocks of an owner's ended sessions that answer a question."""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from pgvector import HalfVector
from psycopg import Cursor, RawCursor

from accounts.billing import charged_to
from accounts.driver import run as run_below_django
from accounts.models import Agent, Owner
from memory.models import EmbeddingSpace
from memory.spaces import find_current
from memory.vectors import LONGEST_IN_INDEX, Vector, driver
from providers.base import Embedder
from providers.errors import ProviderFault
from providers.registry import embedder, embedder_for
from ranking.periods.closeness import scale
from ranking.periods.finding import periods
from ranking.periods.period import Period
from ranking.tokens import fold, query_terms, term_id
from recall.clauses import Arm
from recall.profiles import PROFILES, Profile, by_words
from recall.question_vectors import QUESTION_VECTORS
from recall.statement import statement

log = logging.getLogger(__name__)
# What a row of the statement begins with, before the score.
CHUNK_COLUMNS = 12
NAMED = re.compile(r"%\((\w+)\)s")
INDEX = "select chunks, graph_space from memory_ownerindex where owner_id = %s"
# Fewer are scored faster in full than by leaving frequent terms for last.
FEW_CHUNKS = 5_000
# More terms than any question has; a pasted page would scan half the index.
MOST_TERMS = 64
GRAPH_REACH = 100
GRAPH_REACH_LARGE = 200
LARGE_GRAPH = 100_000


class Mode(Enum):
    """By what a question is answered."""

    HYBRID = "hybrid"
    SEMANTIC = "semantic"
    TEXT = "text"


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

    `recall.profiles.Profile` says what each is. `meaning` may be negative: less than usual.
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
class Found:
    """Hits, best first. `degraded` names what was missing; empty when nothing was."""

    hits: list[Hit] = field(default_factory=list)
    searched_by: str = "words"
    degraded: str = ""
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question ready for the statement."""

    terms: list[int]
    text: str
    vector: Vector | None
    space: EmbeddingSpace | None
    degraded: str = ""
    periods: Sequence[Period] = ()


def search(
    *,
    owner: Owner,
    query: str,
    limit: int,
    mode: Mode = Mode.HYBRID,
    filters: Filters | None = None,
    profile: Profile | None = None,
    question: Question | None = None,
    space: EmbeddingSpace | None = None,
    with_learned: bool = True,
) -> Found:
    """Return at most `limit` hits. A missing model or vector costs quality, never the answer.

    `question` is the query as `prepare` made it, where it is asked in several stores. It looks in
    one space: the question's, else the one given, else the current one.
    """
    filters, wanted = filters or Filters(), profile or PROFILES[settings.RANKING_PROFILE]
    with charged_to(owner):
        question = question or prepare(owner.agent, query, mode, wanted, space)
    has_vector = question.vector is not None
    used = wanted if has_vector else by_words(wanted)
    if mode is Mode.SEMANTIC:
        # CH-60: of long-term memory, meaning alone finds the summaries.
        used = replace(used, long_term_vectors="summaries", learned=0.0)
    elif not with_learned:
        used = replace(used, learned=0.0)
    hits = run(owner=owner, question=question, limit=limit, filters=filters, profile=used)
    by = {Mode.HYBRID: "words+vectors", Mode.SEMANTIC: "vectors", Mode.TEXT: "words"}
    searched_by = by[mode] if has_vector else "words"
    return Found(hits, searched_by, question.degraded, used.name)


def run(
    *, owner: Owner, question: Question, limit: int, filters: Filters, profile: Profile
) -> list[Hit]:
    """Send the one statement and read its rows."""
    arm, graph, chunks = _arm(owner, question)
    space = question.space
    text = statement(
        profile,
        arm,
        is_filtered=not filters.is_empty,
        is_large=chunks > FEW_CHUNKS,
        is_dated=bool(question.periods),
        dimension=space.dimension if space and arm in {Arm.SIGNS, Arm.GRAPH} else 0,
        owner=owner.pk if arm is Arm.GRAPH else 0,
        space=space.pk if space and arm is Arm.GRAPH else 0,
    )
    values = {
        "owner": owner.pk,
        "space": space.pk if space else 0,
        "vector": HalfVector(question.vector) if question.vector is not None else None,
        "terms": question.terms,
        "query": question.text,
        "limit": limit,
        "candidates": max(profile.candidates, limit),
        "session": filters.session,
        "since": filters.since,
        "until": filters.until,
        "as_of": filters.as_of,
        "speaker": filters.speaker,
        **_times(question.periods),
    }
    if not graph:
        return [hit(row) for row in _rows(text, values)]
    with transaction.atomic(), Cursor(driver()) as cursor:
        # LOCAL: a plain SET would stay with the connection and its next user.
        cursor.execute("select set_config('hnsw.ef_search', %s, true)", (str(graph),))
        cursor.execute("set local hnsw.iterative_scan = relaxed_order")
        return [hit(row) for row in _rows(text, values)]


def embed_query(model: Embedder, query: str) -> tuple[Vector | None, str]:
    """Return the question's vector, or None and the code of what stood in the way."""
    try:
        with charged_to(None, purpose="embed_query"):
            (vector,) = model.embed([query], seconds=settings.QUERY_EMBEDDING_SECONDS)
    except ProviderFault as error:
        log.warning("the question has no vector: %s", error.code)
        return None, error.code
    return vector, "" if vector is not None else "query_without_vector"


def prepare(
    agent: Agent, query: str, mode: Mode, profile: Profile, space: EmbeddingSpace | None = None
) -> Question:
    """Return the question's terms and its vector, as far as the mode needs them."""
    words = query_terms(query, agent.language)[:MOST_TERMS]
    terms, text = [term_id(word) for word in words], fold(query)
    times = _periods(query, agent.language)
    if mode is Mode.TEXT or (mode is Mode.HYBRID and profile.meaning == 0):
        return Question(terms, text, None, None, periods=times)
    space = space or find_current()
    vector, degraded = _vector(agent, query, mode, space)
    # Asked for meaning alone, the words answer where the meaning cannot be had.
    asks_words = mode is Mode.HYBRID or vector is None
    return Question(terms if asks_words else [], text, vector, space, degraded, times)


def _vector(
    agent: Agent, query: str, mode: Mode, space: EmbeddingSpace | None
) -> tuple[Vector | None, str]:
    """Return the question's vector in a space, or None and why; no reason where none is wanted."""
    try:
        model = embedder_for(space) if space else embedder()
    except ProviderFault as error:
        log.warning("the question has no vector: %s", error.code)
        return None, error.code
    if not _helps(model, mode):
        return None, ""
    if space is None:
        return None, "no_vectors_yet"
    vector, degraded = QUESTION_VECTORS.get(agent.pk, model, query), ""
    if vector is None:
        vector, degraded = embed_query(model, query)
        if vector is not None:
            QUESTION_VECTORS.put(agent.pk, model, query, vector)
    return vector, degraded


def _helps(model: Embedder, mode: Mode) -> bool:
    """Hashed vectors know no more than the words do: beside words they only cost time."""
    return model.name not in ({"null"} if mode is Mode.SEMANTIC else {"null", "hashing"})


def _arm(owner: Owner, question: Question) -> tuple[Arm, int, int]:
    """Choose how vectors are searched, and how far a graph is followed (0 without one).

    Returned as well is how many chunks the owner has.
    """
    rows = run_below_django(INDEX, (owner.pk,))
    chunks, graph = rows[0] if rows else (0, None)
    if question.vector is None or question.space is None:
        return Arm.NONE, 0, chunks
    if graph == question.space.pk:
        return Arm.GRAPH, GRAPH_REACH_LARGE if chunks > LARGE_GRAPH else GRAPH_REACH, chunks
    is_long = question.space.dimension > LONGEST_IN_INDEX
    return Arm.SIGNS if is_long else Arm.EXACT, 0, chunks


def _periods(query: str, language: str) -> list[Period]:
    """Return the periods that a question names. Who speaks of today asks for nothing of today."""
    now = timezone.now()
    named = periods(query, asked_at=now, language=language)
    return [one for one in named if not _is_today(one, now)]


def _is_today(period: Period, now: datetime) -> bool:
    start, end = period.start, period.end
    return bool(start and end and start <= now < end and end - start <= timedelta(days=1))


def _times(periods: Sequence[Period]) -> dict[str, list[float | None]]:
    """Return the periods as the statement compares them: seconds since 1970, None for an open side."""
    return {
        "begins": [period.start.timestamp() if period.start else None for period in periods],
        "ends": [period.end.timestamp() if period.end else None for period in periods],
        "scales": [scale(period) for period in periods],
        "weights": [period.weight for period in periods],
    }


Row = tuple


def _rows(text: str, values: Mapping[str, object]) -> list[Row]:
    numbered, names = _numbered(text)
    with RawCursor(driver()) as cursor:
        cursor.execute(numbered, [values[name] for name in names], prepare=True, binary=True)
        return cursor.fetchall()


@cache
def _numbered(text: str) -> tuple[str, Sequence[str]]:
    """Return a statement with `$1` for its named parameters, and their names in that order.

    The driver would take a statement of this length apart at each call.
    """
    names = list(dict.fromkeys(NAMED.findall(text)))
    return NAMED.sub(lambda match: f"${names.index(match[1]) + 1}", text), names


def hit(row: Row) -> Hit:
    """Read a row: the chunk's columns as they stand in Hit, then the score, its signals, the events."""
    place, score, events = row[:CHUNK_COLUMNS], row[CHUNK_COLUMNS], row[-1]
    return Hit(*(*place, score, Signals(*row[CHUNK_COLUMNS + 1 : -1]), events))
