"""Find the documents of an agent's knowledge that answer a question.

The words count as they do for sessions: BM25 over its ceiling, from the same postings, to which
the cosine is added with the profile's weight. An agent's documents are few beside its sessions, so
that every one that has a term, and every vector, is scored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from uuid import UUID

from django.conf import settings
from pgvector import HalfVector
from psycopg import Cursor

from accounts.billing import charged_to
from accounts.models import Owner
from memory.models.document import Unit
from memory.vectors import driver
from recall.search.hits import Filters, Signals
from recall.search.messages.clauses import WEIGHT
from recall.search.messages.search import Row
from recall.search.messages.statement import number
from recall.search.questions.question import Question, SearchMode, prepare
from recall.search.ranking_profiles import PROFILES, RankingProfile

SEARCH = """
with sizes as (
  select documents::float8 documents, greatest(terms::float8 / greatest(documents, 1), 1) length
  from knowledge_knowledgeindex where owner_id = %(owner)s
),
terms as materialized (
  select term, sizes.length,
         ln({one} + (sizes.documents - known.documents + {half}) / (known.documents + {half}))
         * {k1_and_one} idf
  from memory_term known, sizes
  where owner_id = %(owner)s and unit = {unit} and term = any(%(terms)s)
),
lexical as materialized (
  select posting.document, sum({weight}) / nullif((select sum(idf) from terms), 0) words
  from terms join memory_posting posting
    on posting.owner_id = %(owner)s and posting.unit = {unit} and posting.term = terms.term
  group by posting.document
),
dense as materialized (
  select document, {one} - (embedding <=> %(vector)s) meaning from knowledge_knowledgeembedding
  where owner_id = %(owner)s and space_id = %(space)s and %(vector)s::halfvec is not null
),
scored as (
  select document number, coalesce(words, {zero}) words, coalesce(meaning, {zero}) meaning
  from lexical full join dense using (document)
),
best as (
  select document.id, words + {cosine} * meaning score, words, meaning
  from scored join knowledge_knowledgedocument document
    on document.owner_id = %(owner)s and document.number = scored.number
  where {filters}
  order by 2 desc, document.number limit %(limit)s
)
"""
ROWS = """
select document.id, document.key, document.content, document.tokens, document.version,
       document.metadata, document.updated_at, document.embedding_state = 'done',
       best.score, best.words, best.meaning
from best join knowledge_knowledgedocument document on document.id = best.id
order by best.score desc, document.number
"""
# A document is of the time it was last written at; what it was before is not kept.
TIMES = """
(%(since)s::timestamptz is null or document.updated_at >= %(since)s)
and (%(until)s::timestamptz is null or document.updated_at < %(until)s)
and (%(as_of)s::timestamptz is null or document.updated_at <= %(as_of)s)
"""


@dataclass(frozen=True, slots=True)
class KnowledgeHit:
    """A document found, whole."""

    id: UUID
    key: str | None
    text: str
    tokens: int
    version: int
    metadata: Mapping[str, object]
    updated_at: datetime
    has_vector: bool
    score: float
    signals: Signals


@dataclass(frozen=True, slots=True)
class FoundKnowledge:
    """Hits, best first. `degraded` names what was missing; empty when nothing was."""

    hits: list[KnowledgeHit] = field(default_factory=list)
    searched_by: str = "words"
    degraded: str = ""
    profile: str = ""


def search_knowledge(
    *,
    owner: Owner,
    query: str,
    limit: int,
    mode: SearchMode = SearchMode.HYBRID,
    filters: Filters | None = None,
    question: Question | None = None,
) -> FoundKnowledge:
    """Return at most `limit` documents. A missing model or vector costs quality, never the answer.

    A document has no session and no speaker: a filter on either leaves none.
    """
    filters, profile = filters or Filters(), PROFILES[settings.RANKING_PROFILE]
    with charged_to(owner):
        question = question or prepare(owner.agent, query, mode, profile)
    has_vector = question.vector is not None
    by = {
        SearchMode.HYBRID: "words+vectors",
        SearchMode.SEMANTIC: "vectors",
        SearchMode.TEXT: "words",
    }
    hits = _run(owner, question, limit, filters, profile) if is_about_documents(filters) else []
    return FoundKnowledge(
        hits, by[mode] if has_vector else "words", question.degraded, profile.name
    )


def is_about_documents(filters: Filters) -> bool:
    """Say whether a document can satisfy the filters at all."""
    return filters.session is None and filters.speaker is None


def hits_of(text: str, values: Mapping[str, object]) -> list[KnowledgeHit]:
    """Send a statement that ends in ROWS and read its rows."""
    with Cursor(driver()) as cursor:
        cursor.execute(text, values, prepare=True, binary=True)
        return [_hit(row) for row in cursor]


def _run(
    owner: Owner, question: Question, limit: int, filters: Filters, profile: RankingProfile
) -> list[KnowledgeHit]:
    values = {
        "owner": owner.pk,
        "space": question.space.pk if question.space else 0,
        "vector": HalfVector(question.vector) if question.vector is not None else None,
        "terms": question.terms,
        "limit": limit,
        "since": filters.since,
        "until": filters.until,
        "as_of": filters.as_of,
    }
    return hits_of(_statement(profile), values)


@cache
def _statement(profile: RankingProfile) -> str:
    k1, b = profile.bm25.k1, profile.bm25.b
    weight = WEIGHT.format(k1=number(k1), b=number(b), b_rest=number(1 - b), average="terms.length")
    return (SEARCH + ROWS).format(
        zero=number(0),
        half=number(0.5),
        one=number(1),
        k1_and_one=number(k1 + 1),
        cosine=number(profile.cosine),
        unit=f"{Unit.KNOWLEDGE:d}",
        weight=weight,
        filters=TIMES,
    )


def _hit(row: Row) -> KnowledgeHit:
    """Read a row: the document's columns as they stand in KnowledgeHit, then the score, its signals."""
    *columns, words, meaning = row
    signals = Signals(words, meaning)
    return KnowledgeHit(*(*columns, signals))
