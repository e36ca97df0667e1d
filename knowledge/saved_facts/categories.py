"""Put facts that are about the same thing into one category."""

from dataclasses import dataclass

from django.db.models import Avg
from pgvector import HalfVector
from pgvector.django import CosineDistance

from accounts.models import Owner
from knowledge.models import FactCategory, SavedFact
from memory.models import EmbeddingSpace
from memory.vectors import Vector

SIMILAR = 0.7
GENERAL = "general"
# The mean is taken anew at every so many additions.
RENEWED_AT = 10


@dataclass(frozen=True, slots=True)
class Embedded:
    """A text's vector, with the space it is of."""

    vector: Vector
    space: EmbeddingSpace


def file_fact(fact: SavedFact, found: Embedded) -> None:
    """Give a fact its vector and its category, in the caller's transaction.

    A category of the name it came with is its own; else the nearest one that is alike; else a new
    one of that name.
    """
    fact.embedding, fact.space = HalfVector(found.vector), found.space
    joins = fact.filed_under_id is None
    category = fact.filed_under or _named(fact) or _alike(fact.owner, found) or _new(fact, found)
    fact.category, fact.filed_under = category.name, category
    fact.save(update_fields=["embedding", "space", "category", "filed_under"])
    category.additions += int(joins)
    if category.additions % RENEWED_AT == 0 or category.space_id != found.space.pk:
        _renew(category, found.space)
    category.save()


def nearest_categories(owner: Owner, found: Embedded, limit: int) -> list[FactCategory]:
    """Return an owner's categories, the most alike first."""
    mine = FactCategory.objects.filter(owner=owner, space=found.space, embedding__isnull=False)
    distance = CosineDistance("embedding", HalfVector(found.vector))
    return list(mine.annotate(distance=distance).order_by("distance", "pk")[:limit])


def _named(fact: SavedFact) -> FactCategory | None:
    if fact.category.casefold() == GENERAL:
        return None
    return FactCategory.objects.filter(owner=fact.owner, name__iexact=fact.category).first()


def _alike(owner: Owner, found: Embedded) -> FactCategory | None:
    for category in nearest_categories(owner, found, 1):
        distance: float = getattr(category, "distance", 2.0)
        return category if 1 - distance > SIMILAR else None
    return None


def _new(fact: SavedFact, found: Embedded) -> FactCategory:
    known = FactCategory.objects.filter(owner=fact.owner, name__iexact=fact.category).first()
    return known or FactCategory.objects.create(
        owner=fact.owner,
        name=fact.category,
        embedding=HalfVector(found.vector),
        space=found.space,
    )


def _renew(category: FactCategory, space: EmbeddingSpace) -> None:
    """Make the category's vector the mean of its facts'."""
    members = SavedFact.objects.filter(filed_under=category, space=space)
    mean = members.aggregate(mean=Avg("embedding"))["mean"]
    if mean is not None:
        category.embedding, category.space = mean, space
