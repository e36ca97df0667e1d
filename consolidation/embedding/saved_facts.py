"""Fill the vectors that saved facts wait for, and put each fact in its category.

A fact waits while it is of no space, or of one that is no longer current. One whose text gives no
usable vector is of the current space without a vector, and waits no more.
"""

import logging
from collections.abc import Sequence, Set

from django.db.models import Q, QuerySet

from consolidation.embedding.fill import fill
from consolidation.jobs.queue import Attempt, enqueue
from knowledge.models import SavedFact
from knowledge.saved_facts.categories import Embedded, file_fact
from knowledge.saved_facts.save import embedded_text
from memory.models import EmbeddingSpace
from memory.vectors import Vector
from providers.base import Embedder

log = logging.getLogger(__name__)
KIND = "embed_saved"
SUBJECT = KIND


def nudge() -> None:
    """Make the job that fills what saved facts wait for, in the caller's transaction."""
    enqueue(kind=KIND, key="0", subject=SUBJECT)


def nudge_if_any_waits() -> None:
    if _waiting().exists():
        nudge()


def run(run: Attempt) -> None:
    """Fill the vectors of saved facts for one round. Raises Postponed as `fill` does."""
    fill(run, waiting=_next, text=embedded_text, store=_store, nudge=nudge)


def _waiting() -> QuerySet[SavedFact]:
    others = EmbeddingSpace.objects.exclude(state=EmbeddingSpace.State.CURRENT)
    of_none = Q(space=None) | Q(space__in=[space.pk for space in others])
    return SavedFact.objects.filter(of_none).defer("tsv")


def _next(model: Embedder, spent: Set[int]) -> list[SavedFact]:
    if model.name == "null":
        return []
    return list(_waiting().exclude(owner__in=spent).order_by("pk")[: model.batch_size])


def _store(*, space: EmbeddingSpace, found: Sequence[tuple[SavedFact, Vector | None]]) -> None:
    for fact, vector in found:
        # Only to what still stands as it was embedded: one that was changed waits for its own.
        same = SavedFact.objects.filter(pk=fact.pk, value=fact.value).defer("tsv")
        row = same.select_related("owner").select_for_update(of=("self",)).first()
        if row is None:
            continue
        if vector is None or len(vector) != space.dimension:
            log.warning("saved fact %s has no vector of this space", fact.pk)
            same.update(embedding=None, space=space)
        else:
            file_fact(row, Embedded(vector, space))
