"""Ask several stores at once: each by its own formula, fused by rank and never by score."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from django.conf import settings

from accounts.billing import charged_to
from accounts.models import Agent, Owner
from ranking.fusion import reciprocal_rank_fusion
from recall.search.context import ContextHit, Retrieved, retrieve, retrieve_phrase
from recall.search.documents import FoundKnowledge, KnowledgeHit, search_knowledge
from recall.search.hits import Filters, Hit, SearchResult
from recall.search.messages.search import search
from recall.search.phrases import is_phrase, search_knowledge_phrase, search_phrase
from recall.search.questions.question import Question, SearchMode, prepare
from recall.search.ranking_profiles import PROFILES

ANY = Filters()
AnyHit = Hit | KnowledgeHit | ContextHit
AnyFound = SearchResult | FoundKnowledge | Retrieved
Through = Callable[[Owner], AbstractContextManager[object]]


@dataclass(frozen=True, slots=True)
class FusedQuestion:
    """One question, the same for every store."""

    query: str
    limit: int
    mode: SearchMode = SearchMode.HYBRID
    filters: Filters = ANY


@dataclass(frozen=True, slots=True)
class Blend:
    """Hits of all stores, best first. `degraded` names what was missing; empty when nothing was."""

    hits: Sequence[AnyHit] = ()
    searched_by: str = "words"
    degraded: str = ""
    profile: str = ""


def search_stores(
    *,
    sessions: Owner | None,
    knowledge: Owner | None,
    asked: FusedQuestion,
    through: Through = nullcontext,
    context: Owner | None = None,
) -> Blend:
    """Return at most `limit` hits of the sessions of one owner and the documents of another.

    `context` is whose documents of V are asked.

    None leaves a store out. The scores of one store alone are its own; those of two are the sums
    of 1 / (60 + rank). A missing model or vector costs quality, never the answer. `through` opens
    what an owner's rows are read in, once the model has answered.
    """
    either = sessions or knowledge or context
    if either is None:
        return Blend()
    with charged_to(either):
        question = _question(either.agent, asked)
    found: list[AnyFound] = []
    if sessions:
        with through(sessions):
            # What was learned of a person is no other agent's: the reader has no right to it.
            mine = through is nullcontext
            found.append(_in_sessions(sessions, asked, question, with_learned=mine))
    if knowledge:
        with through(knowledge):
            found.append(_in_knowledge(knowledge, asked, question))
    if context:
        found.append(_in_context(context, asked, question))
    return _fuse(found, asked.limit)


def _question(agent: Agent, asked: FusedQuestion) -> Question | None:
    """Return what every store is asked with, so that a model is asked once; None for a phrase."""
    if is_phrase(asked.query, asked.mode):
        return None
    return prepare(agent, asked.query, asked.mode, PROFILES[settings.RANKING_PROFILE])


def _in_sessions(
    owner: Owner, asked: FusedQuestion, question: Question | None, *, with_learned: bool
) -> SearchResult:
    query, limit, filters = asked.query, asked.limit, asked.filters
    if question is None:
        return search_phrase(owner=owner, query=query, limit=limit, filters=filters)
    return search(
        owner=owner,
        query=query,
        limit=limit,
        mode=asked.mode,
        filters=filters,
        question=question,
        with_learned=with_learned,
    )


def _in_knowledge(owner: Owner, asked: FusedQuestion, question: Question | None) -> FoundKnowledge:
    query, limit, filters = asked.query, asked.limit, asked.filters
    if question is None:
        return search_knowledge_phrase(owner=owner, query=query, limit=limit, filters=filters)
    return search_knowledge(
        owner=owner, query=query, limit=limit, mode=asked.mode, filters=filters, question=question
    )


def _in_context(owner: Owner, asked: FusedQuestion, question: Question | None) -> Retrieved:
    query, limit = asked.query, asked.limit
    if not asked.filters.is_empty:
        # A document of V is of no session and of no time of its own: no filter can be satisfied.
        return Retrieved()
    if question is None:
        return retrieve_phrase(owner=owner, query=query, limit=limit)
    return retrieve(owner=owner, query=query, limit=limit, question=question)


def _fuse(found: Sequence[AnyFound], limit: int) -> Blend:
    first = found[0]
    hits: list[AnyHit] = [hit for one in found for hit in one.hits]
    if len(found) > 1:
        by_id = {hit.id: hit for hit in hits}
        ranked = reciprocal_rank_fusion([hit.id for hit in one.hits] for one in found)
        hits = [replace(by_id[id], score=score) for id, score in ranked[:limit]]
    ways = dict.fromkeys(one.searched_by for one in found)
    profile = first.profile if isinstance(first, SearchResult | FoundKnowledge) else ""
    return Blend(hits, ", ".join(ways), first.degraded, profile)
