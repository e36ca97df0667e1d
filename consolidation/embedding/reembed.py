"""Another model for what is embedded already, without a search that waits or misses a row.

A second space is filled beside the current one, then made current; the old one stays until it is
dropped. What is missing is asked of the rows, so that whoever was killed begins again anywhere.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import transaction

from accounts.billing import charged_to
from accounts.credits import seconds_until_tomorrow
from audit.failpoint import failpoint
from audit.log import record
from consolidation.embedding import chunks as embedding
from consolidation.embedding import context as context_vectors
from consolidation.embedding import documents
from consolidation.embedding import learned as learned_vectors
from consolidation.embedding.credit import embed_each
from consolidation.embedding.fill import postponing
from consolidation.jobs import heartbeat
from consolidation.jobs.queue import Attempt, enqueue, holding
from knowledge.documents.agent import index_text as document_text
from knowledge.documents.context_vectors import settle_context
from knowledge.documents.spaces import (
    add_document_vectors,
    lack_of_documents,
    next_lacking_documents,
    settle_documents,
)
from knowledge.models import KnowledgeDocument
from memory import graphs, spaces
from memory.errors import SpaceInUse
from memory.indexing import index_text as chunk_text
from memory.models import Chunk, EmbeddingSpace
from memory.spaces import Lack
from memory.vectors import add_vectors
from providers.base import Embedder
from providers.errors import OutOfCredit
from providers.registry import embedder_for

# The job gives way to what people wait for: new chunks are embedded between two rounds.
ROUND_SECONDS = 2.0
SUBJECT = "reembed"
WRITABLE = {EmbeddingSpace.State.BUILDING, EmbeddingSpace.State.RETIRED}

Hold = Callable[[], AbstractContextManager[None]]
Progress = Callable[[int], object]
Text = TypeVar("Text", Chunk, KnowledgeDocument)


@dataclass(frozen=True, slots=True)
class EmbeddedSource(Generic[Text]):
    """Something that is embedded: what a space lacks of it, what it is embedded as, its vectors."""

    lacking: Callable[..., list[Text]]
    text: Callable[[Text], str]
    add: Callable[..., int]


@dataclass(frozen=True, slots=True)
class Batch:
    """How each batch is made and written."""

    space: EmbeddingSpace
    model: Embedder
    hold: Hold
    progress: Progress


CHUNKS = EmbeddedSource(spaces.next_lacking, chunk_text, add_vectors)
DOCUMENTS = EmbeddedSource(next_lacking_documents, document_text, add_document_vectors)


def fill(
    space: EmbeddingSpace,
    *,
    hold: Hold = transaction.atomic,
    progress: Progress = lambda count: None,
    seconds: float = math.inf,
) -> bool:
    """Give a space the vectors it lacks; False if the time was over before the end.

    Each batch is written in the transaction that `hold` opens. Raises ProviderFault, or SpaceInUse
    when the space was given up or made current meanwhile; what was written before is kept.
    """
    model, ends = embedder_for(space), time.monotonic() + seconds
    batch = Batch(space, model, hold, progress)
    return _fill(CHUNKS, batch, ends) and _fill(DOCUMENTS, batch, ends)


def lack_of(space: EmbeddingSpace | None, *, most: int | None = None) -> Lack:
    """Return what a space lacks of chunks and of documents, each counted up to `most`.

    Without a space it is what a new one would lack.
    """
    chunks, others = spaces.lack_of(space, most=most), lack_of_documents(space, most=most)
    return Lack(chunks.texts + others.texts, chunks.tokens + others.tokens)


def _fill(source: EmbeddedSource[Text], batch: Batch, ends: float) -> bool:
    after, written = spaces.START, 0
    while time.monotonic() < ends:
        texts = source.lacking(batch.space, after=after, limit=batch.model.batch_size)
        if not texts and not written:
            return True
        if not texts:
            # Once more from the start: sessions may have ended meanwhile.
            after, written = spaces.START, 0
            continue
        written += _write(source, batch, texts)
        after = (texts[-1].owner_id, texts[-1].number)
    return False


def _write(source: EmbeddedSource[Text], batch: Batch, texts: Sequence[Text]) -> int:
    spent: set[int] = set()
    with charged_to(None, purpose="reembed", spares_user=True):
        found = embed_each(batch.model, texts, source.text, spent=spent)
    failpoint("reembed.before_write")
    with batch.hold():
        if spaces.hold(batch.space) not in WRITABLE:
            raise SpaceInUse(f"{batch.space} is no longer to be filled")
        count = source.add(space=batch.space, found=found)
        failpoint("reembed.mid_batch")
    failpoint("reembed.after_batch")
    batch.progress(count)
    if spent:
        raise OutOfCredit("nothing left to pay with", retry_after=seconds_until_tomorrow())
    return count


def begin(space: EmbeddingSpace) -> None:
    """Let the workers fill a space."""
    enqueue(kind="reembed", key=str(space.pk), subject=SUBJECT)


def run(run: Attempt) -> None:
    """Fill the space for one round. A space that was switched to or dropped is nothing to do."""
    space = EmbeddingSpace.objects.filter(pk=run.key, state__in=WRITABLE).first()
    if space is None:
        return

    def beat(count: int) -> None:
        heartbeat.beat()

    with postponing():
        is_full = fill(space, hold=lambda: holding(run), progress=beat, seconds=ROUND_SECONDS)
    if not is_full:
        begin(space)


def go_over(space: EmbeddingSpace, *, actor: str) -> int:
    """Make a space current; return how many texts wait for a vector, found by words meanwhile.

    Must run outside a transaction: graphs are built first, so that large owners never miss theirs.
    """
    graphs.build(space)
    failpoint("reembed.before_switch")
    with transaction.atomic():
        waiting = spaces.switch(space) + settle_documents(space)
        if waiting:
            embedding.nudge()
            documents.nudge()
        learned_vectors.nudge_if_any_waits()
        later = settle_context(space)
        context_vectors.nudge_if_any_waits()
        record(
            actor=actor,
            action="space.switch",
            subject=str(space),
            detail={"waiting": waiting + later},
        )
    failpoint("reembed.after_switch")
    graphs.grow()
    return waiting + later


def drop(space: EmbeddingSpace, *, actor: str) -> int:
    """Delete a space, its graphs and its vectors; return how many. Run again, it goes on.

    Must run outside a transaction. Raises SpaceInUse if the space is current.
    """
    with transaction.atomic():
        spaces.give_up(space)
        record(actor=actor, action="space.drop", subject=str(space))
    failpoint("reembed.mid_drop")
    graphs.drop(space)
    return spaces.clear(space)
