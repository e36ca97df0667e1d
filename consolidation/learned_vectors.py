"""Fill the vectors that facts and arcs wait for; what has none is found by its words.

An item waits while it is of no space, or of one that is no longer current. One whose text gives no
usable vector is of the current space without a vector, and waits no more.
"""

from collections.abc import Sequence, Set

from django.db.models import Q
from pgvector import HalfVector

from audit.failpoint import failpoint
from consolidation import heartbeat
from consolidation.embedding import ROUND_BATCHES, current_model, postponing
from consolidation.paying import embed_each, wait_for_credit
from consolidation.queue import Run, enqueue, holding
from knowledge.models import Arc, Fact
from knowledge.models.learned import Learned, LearnedQuerySet
from knowledge.wording import embedded_text
from memory.models import EmbeddingSpace
from memory.spaces import current_for
from memory.vectors import Vector
from providers.base import Embedder

KIND = "embed_learned"
# A part of the chunks' own: together they take no more workers than are meant for vectors.
SUBJECT = "embed:0"
MODELS: tuple[type[Learned], ...] = (Fact, Arc)


def nudge() -> None:
    """Make the job that fills what facts and arcs wait for, in the caller's transaction."""
    enqueue(kind=KIND, key="0", subject=SUBJECT)


def nudge_if_any_waits() -> None:
    if any(_waiting(model).exists() for model in MODELS):
        nudge()


def run(run: Run) -> None:
    """Fill the vectors of facts and arcs, batch after batch, for one round.

    Raises Postponed when the provider cannot answer: then the rest waits, and is found by words.
    """
    spent, written = set[int](), 0
    while written < ROUND_BATCHES:
        with postponing():
            model = current_model()
        items = _next(model.batch_size, spent)
        if not items:
            wait_for_credit(spent)
            return
        with postponing():
            found = embed_each(model, items, embedded_text, spent=spent)
        if not found:
            continue
        failpoint("embed.before_write")
        with holding(run):
            _store(model, found)
        heartbeat.beat()
        written += 1
    nudge()


def _waiting(model: type[Learned]) -> LearnedQuerySet:
    others = EmbeddingSpace.objects.exclude(state=EmbeddingSpace.State.CURRENT)
    rows: LearnedQuerySet = model.objects.active()
    # Two looks into the index of spaces, and no walk over every item.
    return rows.filter(Q(space=None) | Q(space__in=[space.pk for space in others]))


def _next(limit: int, spent: Set[int]) -> list[Fact | Arc]:
    waiting = [_waiting(model).exclude(owner__in=spent) for model in MODELS]
    found = [row for rows in waiting for row in rows.order_by("pk")[:limit]]
    return [row for row in found if isinstance(row, Fact | Arc)][:limit]


def _store(model: Embedder, found: Sequence[tuple[Fact | Arc, Vector | None]]) -> None:
    """Write a batch; nothing if another space became current meanwhile: then its turn is next."""
    space = current_for(model=model.model, version=model.version, dimension=model.dimension)
    if space is None:
        return
    for item, vector in found:
        # Only to what still stands as it was embedded: one that was edited waits for its own.
        same = type(item).objects.filter(pk=item.pk, version=item.version)
        same.update(embedding=None if vector is None else HalfVector(vector), space=space)
