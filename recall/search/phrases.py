"""Exact phrases: what stands between quotes is found word for word, by the full-text index.

Scores by terms know no order of words; here `"blue whale"` means these two, in this order. The
index holds the words as they were written, so that a phrase of stop words alone is found as well.
"""

import re

from psycopg import Cursor

from accounts.models import Owner
from memory.vectors import driver
from ranking.tokens import IS_DENSE
from recall.search.documents import ROWS as DOCUMENTS
from recall.search.documents import TIMES, FoundKnowledge, hits_of, is_about_documents
from recall.search.hits import Filters, SearchResult
from recall.search.messages.clauses import FILTERS
from recall.search.messages.clauses import ROWS as CHUNKS
from recall.search.messages.search import hit
from recall.search.messages.statement import number
from recall.search.questions.question import SearchMode

PHRASE = re.compile(r'"[^"]*\w[^"]*"')
PROFILE = "phrase"
# The owner's own lexeme makes the one GIN index an index per owner. websearch_to_tsquery takes any
# text: quotes, OR and a leading minus have their meaning, all else is a word.
WORDS = "websearch_to_tsquery('simple', %(query)s)"
HOLDS = f"{{}}.tsv @@ (%(lexeme)s::tsquery && {WORDS}) and numnode({WORDS}) > 0"
# 32: a rank between 0 and 1.
RANK = f"ts_rank_cd({{}}.tsv, {WORDS}, 32)::float8"
# A block is found as its best passage, as it is by the other ways.
SESSIONS = f"""
with found as (
  select chunk.id, chunk.number document, chunk.block, {RANK.format("chunk")} words,
         {number(0)} meaning, {number(0)} neighbours, {number(0)} reply, {number(0)} session_words,
         {number(0)} summary, {number(0)} learned, {number(0)} timely, false named
  from memory_chunk chunk join memory_session session on session.id = chunk.session_id
  where chunk.owner_id = %(owner)s and chunk.muted_by is null and {HOLDS.format("chunk")} {FILTERS}
),
blocks as (
  select distinct on (block) *, words total from found order by block, words desc, document
),
best as (select * from blocks order by total desc, document limit %(limit)s)
{CHUNKS}
"""  # noqa: S608 - literals
KNOWLEDGE = f"""
with best as (
  select document.id, {RANK.format("document")} score, {RANK.format("document")} words,
         {number(0)} meaning
  from knowledge_knowledgedocument document
  where document.owner_id = %(owner)s and {HOLDS.format("document")} and {TIMES}
  order by 2 desc, document.number limit %(limit)s
)
{DOCUMENTS}
"""  # noqa: S608 - literals


def is_phrase(query: str, mode: SearchMode) -> bool:
    """Say whether a question asks for exact words: in text mode, with something between quotes.

    Scripts without spaces are left to the terms, whose pairs of characters keep the order.
    """
    return mode is SearchMode.TEXT and bool(PHRASE.search(query)) and not IS_DENSE.search(query)


def search_phrase(*, owner: Owner, query: str, limit: int, filters: Filters) -> SearchResult:
    """Return at most `limit` blocks of ended sessions that hold the words as they are asked."""
    values = _values(owner, query, limit, filters)
    values |= {"session": filters.session, "speaker": filters.speaker}
    with Cursor(driver()) as cursor:
        cursor.execute(SESSIONS, values, prepare=True, binary=True)
        return SearchResult([hit(row) for row in cursor], "phrase", "", PROFILE)


def search_knowledge_phrase(
    *, owner: Owner, query: str, limit: int, filters: Filters
) -> FoundKnowledge:
    """Return at most `limit` documents that hold the words as they are asked."""
    values = _values(owner, query, limit, filters)
    hits = hits_of(KNOWLEDGE, values) if is_about_documents(filters) else []
    return FoundKnowledge(hits, "phrase", "", PROFILE)


def _values(owner: Owner, query: str, limit: int, filters: Filters) -> dict[str, object]:
    return {
        "owner": owner.pk,
        "lexeme": f"'owner:{owner.pk:d}'",
        "query": query,
        "limit": limit,
        "since": filters.since,
        "until": filters.until,
        "as_of": filters.as_of,
    }
