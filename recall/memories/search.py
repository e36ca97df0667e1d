"""Search every store of a user's memories at once: each by its own formula, fused by rank."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.conf import settings

from accounts.billing import charged_to
from accounts.models import Owner
from accounts.owners import find_agent_owner
from knowledge.models import Arc, ContextDocument, Fact, KnowledgeDocument, Rule
from knowledge.notes.store import search_entries
from knowledge.stores.base import Kind, Namespace, StoreQuery, model_name
from knowledge.stores.database import DATABASE
from memory.budget import estimate
from ranking.fusion import reciprocal_rank_fusion
from recall.memories.memory import (
    Memory,
    MemoryKind,
    of_arc,
    of_document,
    of_fact,
    of_hit,
    of_knowledge,
    of_note,
    of_rule,
)
from recall.memories.recent import search_recent
from recall.search.context import retrieve
from recall.search.documents import search_knowledge
from recall.search.hits import Filters
from recall.search.messages.search import search
from recall.search.questions.question import Question, SearchMode, prepare
from recall.search.ranking_profiles import PROFILES

EVERY_KIND = tuple(MemoryKind)


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """What is looked for: in words, among which kinds, and said from `since` until before `until`.

    `max_tokens` None is no budget. What counts no more is found only `with_inactive`.
    """

    text: str
    kinds: Sequence[MemoryKind] = EVERY_KIND
    since: datetime | None = None
    until: datetime | None = None
    limit: int = 10
    max_tokens: int | None = None
    with_inactive: bool = False


@dataclass(frozen=True, slots=True)
class FoundMemories:
    """Memories, best first. `degraded` names what was missing; empty when nothing was."""

    memories: Sequence[Memory] = ()
    searched_by: str = "words"
    degraded: str = ""


def search_memories(*, owner: Owner | None, query: MemoryQuery) -> FoundMemories:
    """Return the memories of a user that answer a query; none for a user nobody has met.

    A missing model or vector costs quality, never the answer.
    """
    if owner is None:
        return FoundMemories()
    with charged_to(owner):
        profile = PROFILES[settings.RANKING_PROFILE]
        question = prepare(owner.agent, query.text, SearchMode.HYBRID, profile)
    rankings = [LOOKS[kind](owner, query, question) for kind in dict.fromkeys(query.kinds)]
    within = [[memory for memory in ranking if _is_within(memory, query)] for ranking in rankings]
    searched_by = "words" if question.vector is None else "words+vectors"
    return FoundMemories(_fused(within, query), searched_by, question.degraded)


def _fused(rankings: Sequence[Sequence[Memory]], query: MemoryQuery) -> list[Memory]:
    by_id = {memory.id: memory for ranking in rankings for memory in ranking}
    ranked = reciprocal_rank_fusion([memory.id for memory in ranking] for ranking in rankings)
    best = [replace(by_id[id], score=score) for id, score in ranked[: query.limit]]
    return best if query.max_tokens is None else _fit(best, query.max_tokens)


def _fit(memories: Iterable[Memory], room: int) -> list[Memory]:
    """Return the memories that fit a budget of tokens, best first."""
    fitting = []
    for memory in memories:
        tokens = estimate(memory.text)
        if tokens <= room:
            fitting.append(memory)
            room -= tokens
    return fitting


def _is_within(memory: Memory, query: MemoryQuery) -> bool:
    at = memory.span.said_at
    return (query.since is None or at >= query.since) and (query.until is None or at < query.until)


def _facts(owner: Owner, query: MemoryQuery, question: Question) -> list[Memory]:
    ids = _similar(owner, Kind.SEMANTIC, query, question)
    facts = Fact.objects.filter(owner=owner).defer("embedding")
    rows: Mapping[UUID, Fact] = facts.in_bulk(ids)
    return [of_fact(rows[id]) for id in ids if id in rows]


def _rules(owner: Owner, query: MemoryQuery, question: Question) -> list[Memory]:
    ids = _similar(owner, Kind.PROCEDURAL, query, question)
    rows: Mapping[UUID, Rule] = Rule.objects.filter(owner=owner).in_bulk(ids)
    return [of_rule(rows[id]) for id in ids if id in rows]


def _summaries(owner: Owner, query: MemoryQuery, question: Question) -> list[Memory]:
    ids = _similar(owner, Kind.EPISODIC, query, question)
    rows: Mapping[UUID, Arc] = Arc.objects.filter(owner=owner).defer("embedding").in_bulk(ids)
    return [of_arc(rows[id]) for id in ids if id in rows]


def _similar(owner: Owner, kind: Kind, query: MemoryQuery, question: Question) -> list[UUID]:
    model = model_name(question.space) if question.space else ""
    sought = StoreQuery(query.text, question.vector, model, with_inactive=query.with_inactive)
    matches = DATABASE.similar(Namespace(owner, kind), sought, limit=query.limit)
    return [match.record.key for match in matches]


def _passages(owner: Owner, query: MemoryQuery, question: Question) -> list[Memory]:
    """Return passages of ended sessions, and what was said in those that are open still."""
    filters = Filters(since=query.since, until=query.until)
    ended = search(
        owner=owner, query=query.text, limit=query.limit, filters=filters, question=question
    )
    recent = search_recent(owner=owner, query=query.text, limit=query.limit)
    return _interleaved(recent, [of_hit(hit) for hit in ended.hits])


def _interleaved(first: Sequence[Memory], second: Sequence[Memory]) -> list[Memory]:
    by_id = {memory.id: memory for memory in (*first, *second)}
    ids = ([memory.id for memory in ranking] for ranking in (first, second))
    return [by_id[id] for id, _ in reciprocal_rank_fusion(ids)]


def _notes(owner: Owner, query: MemoryQuery, question: Question) -> list[Memory]:
    hits = search_entries(owner=owner, query=query.text, limit=query.limit)
    return [of_note(hit.entry) for hit in hits]


def _documents(owner: Owner, query: MemoryQuery, question: Question) -> list[Memory]:
    """Return the user's documents, and those that the agent keeps for everybody."""
    nearest = retrieve(owner=owner, query=query.text, limit=query.limit, question=question)
    ids = [hit.id for hit in nearest.hits]
    rows: Mapping[UUID, ContextDocument] = (
        ContextDocument.objects.filter(owner=owner).defer("embedding").in_bulk(ids)
    )
    return _interleaved(
        [of_document(rows[id]) for id in ids if id in rows], _knowledge(owner, query, question)
    )


def _knowledge(owner: Owner, query: MemoryQuery, question: Question) -> list[Memory]:
    own = find_agent_owner(owner.agent)
    if own is None or own == owner:
        return []
    hits = search_knowledge(owner=own, query=query.text, limit=query.limit, question=question).hits
    rows: Mapping[UUID, KnowledgeDocument] = KnowledgeDocument.objects.filter(owner=own).in_bulk(
        [hit.id for hit in hits]
    )
    return [of_knowledge(rows[hit.id]) for hit in hits if hit.id in rows]


Look = Callable[[Owner, MemoryQuery, Question], list[Memory]]
# Among equals what was learned comes before what was said.
LOOKS: Mapping[MemoryKind, Look] = {
    MemoryKind.FACT: _facts,
    MemoryKind.RULE: _rules,
    MemoryKind.SUMMARY: _summaries,
    MemoryKind.PASSAGE: _passages,
    MemoryKind.NOTE: _notes,
    MemoryKind.DOCUMENT: _documents,
}
