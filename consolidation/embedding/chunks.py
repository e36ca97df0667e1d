"""Fill the vectors that chunks wait for, in batches; what has none is found by its words."""

from collections.abc import Sequence
from uuid import UUID

from django.conf import settings
from django.db.models import F, QuerySet, Value

from audit.failpoint import failpoint
from consolidation.embedding.fill import fill
from consolidation.jobs.provider_pauses import seconds_left
from consolidation.jobs.queue import Attempt, enqueue
from consolidation.models.priorities import Priority
from memory.indexing import index_text
from memory.models import Chunk, EmbeddingSpace, Session, SessionStep
from memory.sessions import mark_step
from memory.vectors import Vector, store_vectors
from providers.base import BATCH_SIZE

KIND = "embed"


def nudge() -> None:
    """Make the jobs that fill what waits, in the caller's transaction."""
    delay = seconds_left()
    for part in range(settings.WORKERS):
        enqueue(kind=KIND, key=str(part), subject=f"{KIND}:{part}", delay_seconds=delay)


def nudge_first(session: Session) -> None:
    """Make the job that fills what a session waits for, before what came in bulk."""
    _enqueue_first(str(session.pk), session.owner_id)


def run(run: Attempt) -> None:
    """Fill the vectors of a session, or of a part of all chunks, for one round.

    Raises Postponed as `fill` does.
    """
    is_part = run.key.isdigit()
    mine = _of_part(int(run.key)) if is_part else _of_session(run.key)

    def again() -> None:
        if is_part:
            enqueue(kind=KIND, key=run.key, subject=run.subject)
        elif first := mine.first():
            _enqueue_first(run.key, first.owner_id)

    fill(
        run,
        waiting=lambda model, spent: list(mine.exclude(owner__in=spent)[: model.batch_size]),
        text=index_text,
        store=_store,
        nudge=again,
    )


def _enqueue_first(session: str, owner: int) -> None:
    enqueue(
        kind=KIND,
        key=session,
        subject=f"{KIND}:{session}",
        delay_seconds=seconds_left(),
        owner=owner,
        priority=Priority.ENDING,
    )


def _of_session(session: str) -> QuerySet[Chunk]:
    waiting = Chunk.objects.waiting_for_a_vector().select_related("session")
    return waiting.filter(session=UUID(session)).order_by("number")


def _of_part(part: int) -> QuerySet[Chunk]:
    """Return the chunks that fall to a part: runs of numbers, so that an owner's are divided too."""
    waiting = Chunk.objects.waiting_for_a_vector().select_related("session")
    place = (F("owner_id") + F("number") / Value(BATCH_SIZE)) % Value(settings.WORKERS)
    return waiting.annotate(part=place).filter(part=part).order_by("owner_id", "number")


def _store(*, space: EmbeddingSpace, found: Sequence[tuple[Chunk, Vector | None]]) -> None:
    store_vectors(space=space, found=found)
    failpoint("embed.mid_batch")
    _close({chunk.session for chunk, _ in found})


def _close(sessions: set[Session]) -> None:
    """End the step of sessions none of whose chunks waits any more."""
    waiting = Chunk.objects.waiting_for_a_vector().filter(session__in=sessions)
    unfinished = set(waiting.values_list("session_id", flat=True))
    for session in sessions:
        if session.pk not in unfinished:
            mark_step(session=session, name="embed", state=SessionStep.State.DONE)
