"""Fill the vectors that chunks wait for, in batches; what has none is found by its words."""

import logging
from collections.abc import Iterator, Set
from contextlib import contextmanager

from django.conf import settings
from django.db.models import F

from audit.failpoint import failpoint
from consolidation import heartbeat
from consolidation.errors import Postponed
from consolidation.patience import REFUSED_SECONDS
from consolidation.paying import embed_each, wait_for_credit
from consolidation.queue import Run, enqueue, holding
from consolidation.rests import CODE as RATE_LIMITED
from consolidation.rests import seconds_left
from memory.indexing import index_text
from memory.models import Chunk, EmbeddingSpace, Session, SessionStep
from memory.sessions import mark_step
from memory.spaces import current_for
from memory.vectors import Vector, store_vectors
from providers.base import Embedder
from providers.errors import OutOfCredit, ProviderFault, ProviderUnavailable
from providers.registry import embedder, embedder_for

log = logging.getLogger(__name__)
# A round ends after this many batches, so that other jobs have their turn.
ROUND_BATCHES = 4


def nudge() -> None:
    """Make the jobs that fill what waits, in the caller's transaction."""
    delay = seconds_left()
    for part in range(_parts()):
        enqueue(kind="embed", key=str(part), subject=f"embed:{part}", delay_seconds=delay)


def run(run: Run) -> None:
    """Fill the vectors of this part's owners, batch after batch, for one round.

    Raises Postponed when the provider cannot answer: then the rest waits, and is found by words.
    """
    spent, written = set[int](), 0
    while written < ROUND_BATCHES:
        with postponing():
            model = current_model()
        chunks = _waiting(int(run.key), model.batch_size, spent)
        if not chunks:
            wait_for_credit(spent)
            return
        with postponing():
            found = embed_each(model, chunks, index_text, spent=spent)
        if not found:
            continue
        failpoint("embed.before_write")
        with holding(run):
            _store(model, found)
        heartbeat.beat()
        written += 1
    enqueue(kind="embed", key=run.key, subject=run.subject)


@contextmanager
def postponing() -> Iterator[None]:
    """Put the job off while the provider cannot answer, or has asked for a rest. Raises Postponed."""
    left = seconds_left()
    if left:
        raise Postponed(RATE_LIMITED, seconds=left, counts=False)
    try:
        yield
    except ProviderUnavailable as error:
        log.warning("chunks stay without vectors for now: %s", error.code)
        rests = not (error.counts_as_attempt or isinstance(error, OutOfCredit))
        code = RATE_LIMITED if rests else error.code
        raise Postponed(code, seconds=error.retry_after, counts=error.counts_as_attempt) from error
    except ProviderFault as error:
        log.warning("chunks stay without vectors until this is mended: %s", error.code)
        raise Postponed(error.code, seconds=REFUSED_SECONDS, counts=False) from error


def current_model() -> Embedder:
    """Return what makes vectors of the current space; before the first, what the settings say."""
    space = EmbeddingSpace.objects.current()
    return embedder_for(space) if space else embedder()


def _store(model: Embedder, found: list[tuple[Chunk, Vector | None]]) -> None:
    """Write a batch; nothing if another space became current meanwhile: then its turn is next."""
    space = current_for(model=model.model, version=model.version, dimension=model.dimension)
    if space is None:
        return
    store_vectors(space=space, found=found)
    failpoint("embed.mid_batch")
    _close({chunk.session for chunk, _ in found})


def _parts() -> int:
    """Return how many workers may fill vectors at once: one is left for work that people wait for."""
    return max(settings.WORKERS - 1, 1)


def _waiting(part: int, limit: int, spent: Set[int]) -> list[Chunk]:
    """Return the next chunks of the owners that fall to this part and can pay."""
    waiting = Chunk.objects.waiting_for_a_vector().select_related("session")
    mine = (
        waiting.annotate(part=F("owner_id") % _parts()).filter(part=part).exclude(owner__in=spent)
    )
    return list(mine.order_by("owner_id", "number")[:limit])


def _close(sessions: set[Session]) -> None:
    """End the step of sessions none of whose chunks waits any more."""
    waiting = Chunk.objects.waiting_for_a_vector().filter(session__in=sessions)
    unfinished = set(waiting.values_list("session_id", flat=True))
    for session in sessions:
        if session.pk not in unfinished:
            mark_step(session=session, name="embed", state=SessionStep.State.DONE)
