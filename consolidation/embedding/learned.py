"""Fill the vectors that facts and arcs wait for; what has none is found by its words.

An item waits while it is of no space, or of one that is no longer current. One whose text gives no
usable vector is of the current space without a vector, and waits no more.
"""

from collections.abc import Sequence, Set

from django.db.models import Q
from pgvector import HalfVector

from consolidation.embedding.fill import fill
from consolidation.jobs.queue import Attempt, enqueue
from knowledge.items.text import embedded_text
from knowledge.models import Arc, Fact
from knowledge.models.learned import Learned, LearnedQuerySet
from memory.models import EmbeddingSpace
from memory.vectors import Vector
from providers.base import Embedder

KIND = "embed_learned"
SUBJECT = KIND
MODELS: tuple[type[Learned], ...] = (Fact, Arc)


def nudge() -> None:
    """Make the job that fills what facts and arcs wait for, in the caller's transaction."""
    enqueue(kind=KIND, key="0", subject=SUBJECT)


def nudge_if_any_waits() -> None:
    if any(_waiting(model).exists() for model in MODELS):
        nudge()


def run(run: Attempt) -> None:
    """Fill the vectors of facts and arcs for one round. Raises Postponed as `fill` does."""
    fill(run, waiting=_next, text=embedded_text, store=_store, nudge=nudge)


def _waiting(model: type[Learned]) -> LearnedQuerySet:
    others = EmbeddingSpace.objects.exclude(state=EmbeddingSpace.State.CURRENT)
    rows: LearnedQuerySet = model.objects.active()
    # Two looks into the index of spaces, and no walk over every item.
    return rows.filter(Q(space=None) | Q(space__in=[space.pk for space in others]))


def _next(model: Embedder, spent: Set[int]) -> list[Fact | Arc]:
    waiting = [_waiting(kind).exclude(owner__in=spent) for kind in MODELS]
    found = [row for rows in waiting for row in rows.order_by("pk")[: model.batch_size]]
    return [row for row in found if isinstance(row, Fact | Arc)][: model.batch_size]


def _store(*, space: EmbeddingSpace, found: Sequence[tuple[Fact | Arc, Vector | None]]) -> None:
    for item, vector in found:
        # Only to what still stands as it was embedded: one that was edited waits for its own.
        same = type(item).objects.filter(pk=item.pk, version=item.version)
        same.update(embedding=None if vector is None else HalfVector(vector), space=space)
