"""Find the blocks of an owner's ended sessions that answer a question."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from django.conf import settings
from django.db import transaction
from pgvector import HalfVector
from psycopg import Cursor, RawCursor

from accounts.billing import charged_to
from accounts.driver import run as run_below_django
from accounts.models import Owner
from memory.models import EmbeddingSpace
from memory.vectors import LONGEST_IN_INDEX, driver
from ranking.periods.closeness import scale
from ranking.periods.period import Period
from recall.search.hits import Filters, Hit, SearchResult, Signals
from recall.search.messages.clauses import Arm
from recall.search.messages.statement import statement
from recall.search.questions.question import Question, SearchMode, prepare
from recall.search.ranking_profiles import PROFILES, RankingProfile, by_words

# What a row of the statement begins with, before the score.
CHUNK_COLUMNS = 12
NAMED = re.compile(r"%\((\w+)\)s")
INDEX = "select chunks, graph_space from memory_ownerindex where owner_id = %s"
# Fewer are scored faster in full than by leaving frequent terms for last.
FEW_CHUNKS = 5_000
GRAPH_REACH = 100
GRAPH_REACH_LARGE = 200
LARGE_GRAPH = 100_000


def search(
    *,
    owner: Owner,
    query: str,
    limit: int,
    mode: SearchMode = SearchMode.HYBRID,
    filters: Filters | None = None,
    profile: RankingProfile | None = None,
    question: Question | None = None,
    space: EmbeddingSpace | None = None,
    with_learned: bool = True,
) -> SearchResult:
    """Return at most `limit` hits. A missing model or vector costs quality, never the answer.

    `question` is the query as `prepare` made it, where it is asked in several stores. It looks in
    one space: the question's, else the one given, else the current one.
    """
    filters, wanted = filters or Filters(), profile or PROFILES[settings.RANKING_PROFILE]
    with charged_to(owner):
        question = question or prepare(owner.agent, query, mode, wanted, space)
    has_vector = question.vector is not None
    used = wanted if has_vector else by_words(wanted)
    if mode is SearchMode.SEMANTIC:
        # CH-60: of long-term memory, meaning alone finds the summaries.
        used = replace(used, long_term_vectors="summaries", learned=0.0)
    elif not with_learned:
        used = replace(used, learned=0.0)
    hits = run(owner=owner, question=question, limit=limit, filters=filters, profile=used)
    by = {
        SearchMode.HYBRID: "words+vectors",
        SearchMode.SEMANTIC: "vectors",
        SearchMode.TEXT: "words",
    }
    searched_by = by[mode] if has_vector else "words"
    return SearchResult(hits, searched_by, question.degraded, used.name)


def run(
    *, owner: Owner, question: Question, limit: int, filters: Filters, profile: RankingProfile
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
