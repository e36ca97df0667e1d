"""Find saved facts in three tiers: the nearest categories, the facts in them, then all others."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import Case, Expression, FloatField, Value, When
from pgvector import HalfVector
from pgvector.django import CosineDistance

from accounts.billing import charged_to
from accounts.models import Owner
from accounts.owners import scope_of
from knowledge.models import SavedFact
from knowledge.models.structured import SavedFactQuerySet
from knowledge.saved_facts.categories import Embedded, nearest_categories
from knowledge.saved_facts.salience import touch
from ranking.decay import blended, normalised, vector_score
from recall.search.questions.question import SearchMode
from recall.search.questions.text_vectors import vector_of

CATEGORIES = 3
# Of each arm so many times the wanted number are weighed.
REACH = 3
WORD = re.compile(r"[^\W_]{2,}")
MOST_WORDS = 20


@dataclass(frozen=True, slots=True)
class SavedHit:
    """A fact found, with what its score is made of."""

    fact: SavedFact
    score: float
    vector: float
    keyword: float


@dataclass(frozen=True, slots=True)
class SavedFound:
    """Hits, best first within each tier. `degraded` names what was missing."""

    hits: Sequence[SavedHit] = ()
    searched_by: str = "words"
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class TierQuery:
    """A question as it is asked of each tier."""

    words: SearchQuery | None
    found: Embedded | None
    limit: int


def recall_saved(
    *, owner: Owner, query: str, limit: int, category: str | None = None
) -> SavedFound:
    """Find facts for whoever asked, and count the access of those that are returned."""
    found = search_saved(owner=owner, query=query, limit=limit, category=category)
    touch(owner=owner, ids=[hit.fact.pk for hit in found.hits])
    return found


def search_saved(
    *,
    owner: Owner,
    query: str,
    limit: int,
    category: str | None = None,
    mode: SearchMode = SearchMode.HYBRID,
) -> SavedFound:
    """Return at most `limit` facts of an owner; no access is counted.

    Within a category only its facts are asked, however near others are. In the mode TEXT no model
    is asked.
    """
    with charged_to(owner):
        found, degraded = (
            (None, "") if mode is SearchMode.TEXT else vector_of(owner.agent_id, query)
        )
    sought = TierQuery(_words(query), found, limit)
    mine = SavedFact.objects.within(scope_of(owner.agent, owner=owner.pk))
    hits: list[SavedHit] = []
    if category is not None:
        mine = mine.of_category(category)
    elif found:
        near = nearest_categories(owner, found, CATEGORIES)
        hits = _ranked(mine.filter(filed_under__in=near), sought)
    if len(hits) < limit:
        others = mine.exclude(pk__in=[hit.fact.pk for hit in hits])
        hits += _ranked(others, sought)[: limit - len(hits)]
    return SavedFound(hits, "words+vectors" if found else "words", degraded)


def _ranked(rows: SavedFactQuerySet, sought: TierQuery) -> list[SavedHit]:
    """Return the best of these facts by score; each is weighed by both arms where it has both."""
    most = sought.limit * REACH
    every = rows.defer("tsv", "embedding").annotate(rank=_rank(sought), distance=_distance(sought))
    pool: dict[UUID, SavedFact] = {}
    if sought.words is not None:
        by_words = every.filter(tsv=sought.words).order_by("-rank", "pk")[:most]
        pool |= {row.pk: row for row in by_words}
    if sought.found:
        by_vector = every.filter(space=sought.found.space, distance__isnull=False)
        pool |= {row.pk: row for row in by_vector.order_by("distance", "pk")[:most]}
    hits = _scored(list(pool.values()))
    return sorted(hits, key=lambda hit: -hit.score)[: sought.limit]


def _rank(sought: TierQuery) -> Expression:
    return Value(0.0) if sought.words is None else SearchRank("tsv", sought.words)


def _distance(sought: TierQuery) -> Expression:
    if sought.found is None:
        return Value(None, output_field=FloatField())
    near = CosineDistance("embedding", HalfVector(sought.found.vector))
    # Vectors of another space are of another length, and are compared with none.
    return Case(When(space=sought.found.space, then=near), output_field=FloatField())


def _scored(rows: Sequence[SavedFact]) -> list[SavedHit]:
    ranks = {row.pk: float(getattr(row, "rank", 0.0)) for row in rows}
    matched = [pk for pk, rank in ranks.items() if rank > 0]
    keywords = dict(zip(matched, normalised([ranks[pk] for pk in matched]), strict=True))
    hits = []
    for row in rows:
        distance: float | None = getattr(row, "distance", None)
        vector = 0.0 if distance is None else vector_score(distance)
        keyword = keywords.get(row.pk, 0.0)
        hits.append(SavedHit(row, blended(vector, keyword, row.decay_score), vector, keyword))
    return hits


def _words(query: str) -> SearchQuery | None:
    """Return any of the question's words, as PostgreSQL looks for them."""
    words = list(dict.fromkeys(WORD.findall(query)))[:MOST_WORDS]
    return SearchQuery(" | ".join(words), search_type="raw", config="english") if words else None
