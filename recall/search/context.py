"""Find what V knows of a user that answers a message, by meaning, and by words where that is missing.

The user is always part of the question. A document of a connection is found only while that
connection is active; one without is found in every conversation.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.conf import settings
from pgvector import HalfVector
from psycopg import Cursor

from accounts.billing import charged_to
from accounts.errors import OwnerMissing
from accounts.models import Owner
from knowledge.documents.context import DocumentMetadata, user_id_of
from memory.budget import estimate
from memory.vectors import driver
from ranking.languages import detect
from ranking.tokens import fold, index_terms, meaningful, query_terms
from recall.search.hits import Signals
from recall.search.questions.question import Question, SearchMode, prepare
from recall.search.ranking_profiles import PROFILES

LIMIT = 5
# Looked for in every text without a vector; the longest say the most.
MOST_WORDS = 16
# Among so many that hold the most of these words, the best are chosen by whole terms.
CANDIDATES = 50
PHRASE = re.compile(r'"([^"]*\w[^"]*)"')
COLUMNS = (
    "id, content, context_type, source, org_id, tool_id, connection_id, message_id, attachment_id, "
    "filename"
)
ACTIVE = "select id from accounts_connection where owner_id = %(owner)s and is_active"
NAMED = "select unnest(%(active)s::uuid[])"
MINE = """owner_id = %(owner)s and (connection_id is null or connection_id in ({active}))
  and (%(types)s::text[] is null or context_type = any(%(types)s))"""
NEAR = f"""(
select {COLUMNS}, embedding <=> %(vector)s::halfvec distance from toolstream_context
where {MINE} and space_id = %(space)s and embedding_state = 'done'
order by distance, id limit %(limit)s
)"""  # noqa: S608 - literals
# Each fence keeps what is below it from being reckoned twice a row.
WORDED = f"""(
select {COLUMNS}, null::float8 distance from (
  select *, (select count(*) from unnest(%(words)s::text[]) word where strpos(folded, word) > 0) shared
  from (
    select *, lower(content) folded from toolstream_context where {MINE} {{those}} offset 0
  ) mine offset 0
) found
where shared > 0 order by shared desc, created_at desc, id limit {CANDIDATES}
)"""  # noqa: S608 - literals
WITHOUT = "and embedding_state in ('pending', 'failed')"
# What holds none of the words is not looked at.
HOLDING = (
    "and accounts_parts(owner_id, content) @@ accounts_holding_any(%(owner)s, %(words)s::text[])"
)
# By whether the question has a vector, and whether its connections are named.
STATEMENTS = {
    (has_vector, is_named): text.format(active=active, those=those)
    for has_vector, text, those in (
        (True, f"{NEAR} union all {WORDED}", WITHOUT),
        (False, WORDED, HOLDING),
    )
    for is_named, active in ((True, NAMED), (False, ACTIVE))
}


@dataclass(frozen=True, slots=True)
class ContextHit:
    """A document found. `distance` is the cosine distance, None for one found by its words.

    `score` is the cosine, or the share of the question's terms where there is no distance.
    """

    id: UUID
    content: str
    metadata: DocumentMetadata
    distance: float | None
    score: float = 0.0

    @property
    def text(self) -> str:
        return self.content

    @property
    def tokens(self) -> int:
        return estimate(self.content)

    @property
    def signals(self) -> Signals:
        meaning = 0.0 if self.distance is None else 1 - self.distance
        return Signals(meaning=meaning)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Hits, nearest first. `degraded` names what was missing; empty when nothing was."""

    hits: list[ContextHit] = field(default_factory=list)
    searched_by: str = "words"
    degraded: str = ""


def retrieve(
    *,
    owner: Owner | None,
    query: str,
    active_connections: Sequence[UUID] | None = None,
    context_types: Sequence[str] | None = None,
    limit: int = LIMIT,
    question: Question | None = None,
) -> Retrieved:
    """Return at most `limit` documents of one user, each once, nearest first.

    `active_connections` None are those that the user has switched on. `question` is the query as
    `prepare` made it, where other stores are asked too. A missing model or vector costs quality,
    never the answer. Raises OwnerMissing: nobody searches everybody's.
    """
    if owner is None:
        raise OwnerMissing("a user's documents are asked for, and no user was named")
    with charged_to(owner):
        question = question or prepare(
            owner.agent, query, SearchMode.SEMANTIC, PROFILES[settings.RANKING_PROFILE]
        )
    rows = _rows(owner, query, active_connections, context_types, limit, question)
    near, rest = _parted(rows)
    worded = by_words(query, rest, owner.agent.language) if rest else []
    hits = [*near, *worded][:limit]
    return Retrieved(hits, _ways(hits, question), question.degraded)


def retrieve_phrase(*, owner: Owner, query: str, limit: int) -> Retrieved:
    """Return documents that hold each phrase between quotes, letter for letter."""
    found = retrieve(
        owner=owner, query=query, limit=CANDIDATES, question=Question([], query, None, None)
    )
    phrases = [fold(phrase).strip() for phrase in PHRASE.findall(query)]
    hits = [hit for hit in found.hits if all(one in fold(hit.content) for one in phrases)]
    return Retrieved(hits[:limit])


def by_words(query: str, hits: Sequence[ContextHit], language: str) -> list[ContextHit]:
    """Return the hits that share a term with the question, those with the most of them first."""
    wanted, languages = set(query_terms(query, language)), {language, detect(query, language)}
    shared = [len(wanted & _terms(hit.content, languages)) for hit in hits]
    places = [place for place, count in enumerate(shared) if count]
    best = sorted(places, key=lambda place: -shared[place])
    return [replace(hits[place], score=shared[place] / len(wanted)) for place in best]


def words_of(query: str, language: str) -> list[str]:
    """Return the words, and their stems, that a text may hold to answer a question."""
    both = dict.fromkeys([*meaningful(query), *query_terms(query, language)])
    return sorted(both, key=len, reverse=True)[:MOST_WORDS]


def _terms(text: str, languages: Collection[str]) -> set[str]:
    return {term for language in languages for term in index_terms(text, language)}


def _parted(hits: Sequence[ContextHit]) -> tuple[list[ContextHit], list[ContextHit]]:
    """Part hits into those with a distance, nearest first, and those found by their words."""
    near = [(hit.distance, hit) for hit in hits if hit.distance is not None]
    near.sort(key=lambda one: one[0])
    return [hit for _, hit in near], [hit for hit in hits if hit.distance is None]


def _ways(hits: Sequence[ContextHit], question: Question) -> str:
    """Say by what was searched: by words alone, by vectors, or by both where some vectors lack."""
    if question.vector is None:
        return "words"
    return "vectors, words" if any(hit.distance is None for hit in hits) else "vectors"


def _rows(
    owner: Owner,
    query: str,
    active: Sequence[UUID] | None,
    types: Sequence[str] | None,
    limit: int,
    question: Question,
) -> list[ContextHit]:
    """Send the one statement and read its rows."""
    vector = question.vector if question.space else None
    values = {
        "owner": owner.pk,
        "vector": None if vector is None else HalfVector(vector),
        "space": question.space.pk if question.space else 0,
        "words": words_of(query, owner.agent.language),
        "active": None if active is None else list(active),
        "types": list(types) if types else None,
        "limit": limit,
    }
    text, user = STATEMENTS[vector is not None, active is not None], user_id_of(owner)
    with Cursor(driver()) as cursor:
        cursor.execute(text, values, prepare=True, binary=True)
        return [_hit(user, row) for row in cursor]


def _hit(user: str, row: tuple) -> ContextHit:
    id, content, context_type, source, *links, distance = row
    score = 0.0 if distance is None else 1 - distance
    return ContextHit(
        id, content, DocumentMetadata(context_type, user, source, *links), distance, score
    )
