"""Fill what waits for vectors, in batches, whatever rows they are."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from typing import Protocol, TypeVar

from audit.failpoint import failpoint
from consolidation.embedding.credit import Owned, embed_each, wait_for_credit
from consolidation.errors import Postponed
from consolidation.jobs import heartbeat
from consolidation.jobs.backoff import REFUSED_SECONDS
from consolidation.jobs.provider_pauses import CODE as RATE_LIMITED
from consolidation.jobs.provider_pauses import seconds_left
from consolidation.jobs.queue import Attempt, holding
from memory.models import EmbeddingSpace
from memory.spaces import current_for
from memory.vectors import Vector
from providers.base import Embedder
from providers.errors import OutOfCredit, ProviderFault, ProviderUnavailable
from providers.registry import embedder, embedder_for

log = logging.getLogger(__name__)
# A round ends with the batch that passes this, so that other jobs have their turn.
ROUND_SECONDS = 1.0
Row = TypeVar("Row", bound=Owned)
Told = TypeVar("Told", bound=Owned, contravariant=True)


class VectorWriter(Protocol[Told]):
    """Writes a batch to the current space, in the caller's transaction."""

    def __call__(
        self, *, space: EmbeddingSpace, found: Sequence[tuple[Told, Vector | None]]
    ) -> None: ...


def fill(
    run: Attempt,
    *,
    waiting: Callable[[Embedder, Set[int]], Sequence[Row]],
    text: Callable[[Row], str],
    store: VectorWriter[Row],
    nudge: Callable[[], object],
) -> None:
    """Fill what waits, batch after batch, for one round; `nudge` asks for the next.

    `waiting` returns a batch for a model, without the owners who cannot pay. A batch is dropped
    when another space became current meanwhile: then its turn is next. Raises Postponed when the
    provider cannot answer: then the rest waits, and is found by words.
    """
    spent, written, ends = set[int](), 0, time.monotonic() + ROUND_SECONDS
    while not written or time.monotonic() < ends:
        with postponing():
            model = current_model()
        rows = waiting(model, spent)
        if not rows:
            wait_for_credit(spent)
            return
        with postponing():
            found = embed_each(model, rows, text, spent=spent)
        if not found:
            continue
        failpoint("embed.before_write")
        with holding(run):
            space = current_for(model=model.model, version=model.version, dimension=model.dimension)
            if space is not None:
                store(space=space, found=found)
        heartbeat.beat()
        written += 1
    nudge()


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
