"""Fill the vectors that chunks wait for, in batches; what has none is found by its words."""

from collections.abc import Sequence, Set

from django.conf import settings
from django.db.models import F, Value

from audit.failpoint import failpoint
from consolidation.filling import fill
from consolidation.priorities import Priority
from consolidation.queue import Run, enqueue
from consolidation.rests import seconds_left
from memory.indexing import index_text
from memory.models import Chunk, EmbeddingSpace, Session, SessionStep
from memory.sessions import mark_step
from memory.vectors import Vector, store_vectors

SESSION_KIND = "embed_session"


def nudge() -> None:
    """Make the jobs that fill what waits, in the caller's transaction."""
    delay = seconds_left()
    for part in range(settings.WORKERS):
        enqueue(kind="embed", key=str(part), subject=f"embed:{part}", delay_seconds=delay)


def nudge_first(session: Session) -> None:
    """Make the job that fills what a session waits for, before what came in bulk; and the others."""
    key = str(session.pk)
    subject, owner = f"{SESSION_KIND}:{key}", session.owner_id
    enqueue(kind=SESSION_KIND, key=key, subject=subject, delay_seconds=seconds_left(), owner=owner)
    nudge()


def run(run: Run) -> None:
    """Fill the vectors of this part of the chunks for one round. Raises Postponed as `fill` does."""
    fill(
        run,
        waiting=lambda model, spent: _waiting(int(run.key), model.batch_size, spent),
        text=index_text,
        store=_store,
        nudge=lambda: enqueue(kind="embed", key=run.key, subject=run.subject),
    )


def run_session(run: Run) -> None:
    """Fill the vectors of a session for one round. Raises Postponed as `fill` does."""
    waiting = Chunk.objects.waiting_for_a_vector().select_related("session")
    mine = waiting.filter(session=run.key).order_by("number")
    fill(
        run,
        waiting=lambda model, spent: list(mine.exclude(owner__in=spent)[: model.batch_size]),
        text=index_text,
        store=_store,
        nudge=lambda: enqueue(
            kind=SESSION_KIND, key=run.key, subject=run.subject, priority=Priority.ENDING
        ),
    )


def _store(*, space: EmbeddingSpace, found: Sequence[tuple[Chunk, Vector | None]]) -> None:
    store_vectors(space=space, found=found)
    failpoint("embed.mid_batch")
    _close({chunk.session for chunk, _ in found})


def _waiting(part: int, limit: int, spent: Set[int]) -> list[Chunk]:
    """Return the next chunks that fall to this part, of owners who can pay.

    A part is a run of numbers here and there, so that the chunks of one owner are divided as well.
    """
    waiting = Chunk.objects.waiting_for_a_vector().select_related("session")
    place = (F("owner_id") + F("number") / Value(limit)) % Value(settings.WORKERS)
    mine = waiting.annotate(part=place).filter(part=part).exclude(owner__in=spent)
    return list(mine.order_by("owner_id", "number")[:limit])


def _close(sessions: set[Session]) -> None:
    """End the step of sessions none of whose chunks waits any more."""
    waiting = Chunk.objects.waiting_for_a_vector().filter(session__in=sessions)
    unfinished = set(waiting.values_list("session_id", flat=True))
    for session in sessions:
        if session.pk not in unfinished:
            mark_step(session=session, name="embed", state=SessionStep.State.DONE)
