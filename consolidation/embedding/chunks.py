"""Fill the vectors that chunks wait for, in batches; what has none is found by its words."""

from collections.abc import Sequence, Set

from django.conf import settings
from django.db.models import F

from audit.failpoint import failpoint
from consolidation.embedding.fill import fill
from consolidation.jobs.provider_pauses import seconds_left
from consolidation.jobs.queue import Run, enqueue
from memory.indexing import index_text
from memory.models import Chunk, EmbeddingSpace, Session, SessionStep
from memory.sessions import mark_step
from memory.vectors import Vector, store_vectors


def nudge() -> None:
    """Make the jobs that fill what waits, in the caller's transaction."""
    delay = seconds_left()
    for part in range(_parts()):
        enqueue(kind="embed", key=str(part), subject=f"embed:{part}", delay_seconds=delay)


def run(run: Run) -> None:
    """Fill the vectors of this part's owners for one round. Raises Postponed as `fill` does."""
    fill(
        run,
        waiting=lambda model, spent: _waiting(int(run.key), model.batch_size, spent),
        text=index_text,
        store=_store,
        nudge=lambda: enqueue(kind="embed", key=run.key, subject=run.subject),
    )


def _store(*, space: EmbeddingSpace, found: Sequence[tuple[Chunk, Vector | None]]) -> None:
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
