"""Decide what one compaction folds, and write that down before any model is asked."""

from datetime import datetime, timedelta
from itertools import takewhile

from django.db import IntegrityError, transaction
from django.utils import timezone

from consolidation.compaction.strategies.registry import Step, next_step
from consolidation.models import CompactionRun
from memory.models import LaneWindow, Session
from memory.summaries import read_summary
from memory.windows import Fold, LaneMeasure, total
from recall.prompt.view import measure

# The rest after the second failure in a row; after more than these it grows no further.
FIRST_REST = timedelta(minutes=1)
MOST_FAILED = 8
# Failures that say nothing of what a model would answer.
NOT_THE_MODEL = frozenset({"plan_stale", "session_ended"})


def open_run(session: Session, lane: str) -> CompactionRun | None:
    """Return the lane's compaction that is under way, or None."""
    found = CompactionRun.objects.filter(session=session, lane=lane)
    return found.filter(state__in=CompactionRun.OPEN).first()


def latest_runs(session: Session) -> list[CompactionRun]:
    """Return the newest compaction of each lane that has one."""
    runs = CompactionRun.objects.filter(session=session).defer("reply")
    return list(runs.order_by("lane", "-pk").distinct("lane"))


def look(session: Session, lane: str, trigger: str) -> tuple[LaneWindow, LaneMeasure, Step | None]:
    """Return a lane, its view and what it needs next; None for nothing."""
    window = LaneWindow.objects.get(session=session, lane=lane)
    view = measure(session, window)
    is_asked = trigger != CompactionRun.Trigger.AUTOMATIC
    step = next_step(view, session.strategy, is_asked=is_asked, flush_armed=window.flush_armed)
    return window, view, step


def rests(session: Session, lane: str, now: datetime) -> bool:
    """Return whether a lane waits after failures: each one after the first doubles the minutes.

    Every try is paid for, and what a model got wrong twice it gets wrong again.
    """
    runs = CompactionRun.objects.filter(session=session, lane=lane)
    latest = list(
        runs.order_by("-pk").values_list("state", "error_code", "finished_at")[:MOST_FAILED]
    )
    failed = [*takewhile(lambda run: run[0] == CompactionRun.State.FAILED, latest)]
    if len(failed) < 2 or failed[0][1] in NOT_THE_MODEL:
        return False
    last = failed[0][2]
    return last is not None and now < last + FIRST_REST * 2 ** (len(failed) - 2)


def plan_compaction(session: Session, lane: str, trigger: str) -> CompactionRun | None:
    """Begin a compaction; None when there is nothing to fold or another is under way."""
    window, view, step = look(session, lane, trigger)
    is_automatic = trigger == CompactionRun.Trigger.AUTOMATIC
    if step is None or (is_automatic and rests(session, lane, timezone.now())):
        return None
    fold = step.fold or Fold([], window.start_seq, list(window.kept))
    run = CompactionRun(
        session=session,
        lane=lane,
        strategy=session.strategy,
        trigger=trigger,
        folded=fold.folded,
        start_seq=window.start_seq,
        next_start_seq=fold.start_seq,
        next_kept=fold.kept,
        last_seq=view.shown[-1].seq if view.shown else 0,
        summary_version=read_summary(window).version,
        tokens_before=view.fixed + total(view.shown),
    )
    try:
        with transaction.atomic():
            run.save(force_insert=True)
    except IntegrityError:
        return None
    return run
