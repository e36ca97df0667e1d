"""The front door of V, and the filling of the vectors that its documents wait for."""

from collections.abc import Sequence
from operator import attrgetter
from uuid import UUID

from django.db import transaction

from accounts.models import Owner
from audit.failpoint import failpoint
from audit.log import record
from consolidation import heartbeat
from consolidation.embedding import ROUND_BATCHES, current_model, postponing
from consolidation.paying import embed_each, wait_for_credit
from consolidation.queue import Run, enqueue, holding
from consolidation.rests import seconds_left
from knowledge.context_documents import NewDocument, cut, forget_document, put_documents
from knowledge.context_vectors import store_context_vectors
from knowledge.models import ContextDocument
from memory.spaces import current_for
from memory.vectors import Vector
from providers.base import Embedder

KIND = "embed_context"
# A part of the chunks' own: together they take no more workers than are meant for vectors.
SUBJECT = "embed:0"


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


@transaction.atomic
def drop_context(*, owner: Owner | None, id: UUID, actor: str) -> None:
    """Delete a document of V for good. Raises DocumentUnknown."""
    found = forget_document(owner=owner, id=id)
    record(actor=actor, action="context.delete", subject=str(found.pk))


def nudge() -> None:
    """Make the job that fills what documents of V wait for, in the caller's transaction."""
    enqueue(kind=KIND, key="0", subject=SUBJECT, delay_seconds=seconds_left())


def nudge_if_any_waits() -> None:
    if ContextDocument.objects.pending().exists():
        nudge()


def run(run: Run) -> None:
    """Fill the vectors of V, batch after batch, for one round.

    Raises Postponed when the provider cannot answer: then the rest waits, and is found by words.
    """
    spent, written = set[int](), 0
    while written < ROUND_BATCHES:
        with postponing():
            model = current_model()
        waiting = ContextDocument.objects.pending().exclude(owner__in=spent)
        documents = list(waiting.defer("embedding").order_by("owner_id", "pk")[: model.batch_size])
        if not documents:
            wait_for_credit(spent)
            return
        with postponing():
            found = embed_each(model, documents, attrgetter("content"), spent=spent)
        if not found:
            continue
        failpoint("embed.before_write")
        with holding(run):
            _store(model, found)
        heartbeat.beat()
        written += 1
    nudge()


def _store(model: Embedder, found: list[tuple[ContextDocument, Vector | None]]) -> None:
    """Write a batch; nothing if another space became current meanwhile: then its turn is next."""
    space = current_for(model=model.model, version=model.version, dimension=model.dimension)
    if space is not None:
        store_context_vectors(space=space, found=found)
