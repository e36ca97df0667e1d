"""The front door of V, and the filling of the vectors that its documents wait for."""

from collections.abc import Sequence, Set
from operator import attrgetter
from uuid import UUID

from django.db import transaction

from accounts.models import Owner
from consolidation.embedding.fill import fill
from consolidation.jobs.provider_pauses import seconds_left
from consolidation.jobs.queue import Attempt, enqueue
from knowledge.documents.context import NewDocument, cut, put_documents
from knowledge.documents.context_vectors import store_context_vectors
from knowledge.models import ContextDocument
from providers.base import Embedder

KIND = "embed_context"
SUBJECT = KIND


def keep_context(*, owner: Owner | None, documents: Sequence[NewDocument]) -> list[UUID]:
    """Put documents into V, and ask for their vectors, in the caller's transaction.

    Raises what put_documents raises.
    """
    ids = put_documents(owner=owner, documents=documents)
    if ids:
        nudge()
    return ids


@transaction.atomic
def store_context(*, owner: Owner, document: NewDocument) -> list[UUID]:
    """Keep one text, that of an attachment in passages. Raises what put_documents raises."""
    return keep_context(owner=owner, documents=cut(document))


def nudge() -> None:
    """Make the job that fills what documents of V wait for, in the caller's transaction."""
    enqueue(kind=KIND, key="0", subject=SUBJECT, delay_seconds=seconds_left())


def nudge_if_any_waits() -> None:
    if ContextDocument.objects.pending().exists():
        nudge()


def run(run: Attempt) -> None:
    """Fill the vectors of V for one round. Raises Postponed as `fill` does."""
    fill(run, waiting=_next, text=attrgetter("content"), store=store_context_vectors, nudge=nudge)


def _next(model: Embedder, spent: Set[int]) -> list[ContextDocument]:
    waiting = ContextDocument.objects.pending().exclude(owner__in=spent)
    return list(waiting.defer("embedding").order_by("owner_id", "pk")[: model.batch_size])
