"""A question made ready for the search."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from functools import partial
from uuid import UUID

from django.utils import timezone

from accounts.billing import charged_to
from accounts.models import Agent
from memory.models import EmbeddingSpace
from memory.spaces import find_current
from memory.vectors import Vector
from providers.base import Embedder
from providers.errors import ProviderFault
from providers.registry import embedder, embedder_for
from ranking.periods.finding import periods
from ranking.periods.period import Period
from ranking.tokens import fold, query_terms, term_id
from recall.search.questions.vectors import QUESTION_VECTORS
from recall.search.questions.waiting import embed_in_time
from recall.search.ranking_profiles import RankingProfile

log = logging.getLogger(__name__)
# More terms than any question has; a pasted page would scan half the index.
MOST_TERMS = 64


class SearchMode(Enum):
    """By what a question is answered."""

    HYBRID = "hybrid"
    SEMANTIC = "semantic"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Question:
    """A question ready for the statement."""

    terms: list[int]
    text: str
    vector: Vector | None
    space: EmbeddingSpace | None
    degraded: str = ""
    periods: Sequence[Period] = ()


def embed_query(agent: UUID, model: Embedder, query: str) -> tuple[Vector | None, str]:
    """Return the question's vector, or None and the code of what stood in the way.

    It is waited for a moment only; what this agent has asked lately, or what has come since, is
    there at once.
    """
    vector = QUESTION_VECTORS.get(agent, model, query)
    if vector is not None:
        return vector, ""
    try:
        with charged_to(None, purpose="embed_query"):
            keep = partial(QUESTION_VECTORS.put, agent, model, query)
            vector = embed_in_time(model, query, keep)
    except ProviderFault as error:
        log.warning("the question has no vector: %s", error.code)
        return None, error.code
    return vector, "" if vector is not None else "query_without_vector"


def prepare(
    agent: Agent,
    query: str,
    mode: SearchMode,
    profile: RankingProfile,
    space: EmbeddingSpace | None = None,
) -> Question:
    """Return the question's terms and its vector, as far as the mode needs them."""
    words = query_terms(query, agent.language)[:MOST_TERMS]
    terms, text = [term_id(word) for word in words], fold(query)
    times = _periods(query, agent.language)
    if mode is SearchMode.TEXT or (mode is SearchMode.HYBRID and profile.meaning == 0):
        return Question(terms, text, None, None, periods=times)
    space = space or find_current()
    vector, degraded = _vector(agent, query, mode, space)
    # Asked for meaning alone, the words answer where the meaning cannot be had.
    asks_words = mode is SearchMode.HYBRID or vector is None
    return Question(terms if asks_words else [], text, vector, space, degraded, times)


def _vector(
    agent: Agent, query: str, mode: SearchMode, space: EmbeddingSpace | None
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
    return embed_query(agent.pk, model, query)


def _helps(model: Embedder, mode: SearchMode) -> bool:
    """Hashed vectors know no more than the words do: beside words they only cost time."""
    return model.name not in ({"null"} if mode is SearchMode.SEMANTIC else {"null", "hashing"})


def _periods(query: str, language: str) -> list[Period]:
    """Return the periods that a question names. Who speaks of today asks for nothing of today."""
    now = timezone.now()
    named = periods(query, asked_at=now, language=language)
    return [one for one in named if not _is_today(one, now)]


def _is_today(period: Period, now: datetime) -> bool:
    start, end = period.start, period.end
    return bool(start and end and start <= now < end and end - start <= timedelta(days=1))
