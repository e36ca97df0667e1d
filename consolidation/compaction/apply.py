"""Apply what a compaction's models answered: all of it in one transaction, or nothing."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta

from django.db.models import Max
from django.utils import timezone

from audit.failpoint import failpoint
from consolidation.compaction.ask import CompactionReply, checked_delta, sessions_named
from consolidation.compaction.strategies.registry import STRATEGIES
from consolidation.errors import PlanStale
from consolidation.jobs import runs
from consolidation.jobs.queue import Attempt, holding
from consolidation.models import CompactionRun
from knowledge.items.rows import lock_memory
from knowledge.models import Forgetting, SavedFact
from knowledge.notes.archives import write_archive
from knowledge.saved_facts.save import NewFact, save_facts
from knowledge.workspace.memory import append_facts
from memory.deltas import SummaryContent, applied
from memory.models import CompactMarker, LaneWindow, Session
from memory.summaries import apply_delta, render_summary
from recall.prompt.summary import summary_tokens

# An act of forgetting is stamped last, and yet may be seen by nobody when a run reads the log.
LONGEST_COMMIT = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Folded:
    """What stands for all that was folded so far, and what this fold alone adds to it."""

    summary: str
    news: str


def pin(job: Attempt, run: CompactionRun, reply: CompactionReply) -> None:
    """Keep what has been answered so far, and lengthen the lease. Raises LeaseLost."""
    runs.pin(job, run, reply=asdict(reply), state=CompactionRun.State.REPLIED)
    failpoint("job.after_pin")


def apply_run(job: Attempt, run: CompactionRun, reply: CompactionReply) -> None:
    """Save the facts; for a fold, archive, mark and move the window.

    Raises LeaseLost, PlanStale when the lane is not as it was planned on, SummaryChanged, or
    DeltaInvalid; then nothing has left the view.
    """
    facts = [_fact(found) for piece in reply.facts for found in piece]
    owner = run.session.owner
    _check_told(run)
    if facts:
        append_facts(owner=owner, facts=facts, run=run.pk, day=run.created_at.date())
    with holding(job):
        lock_memory(owner)
        _check_told(run)
        window = _locked(run)
        source = SavedFact.Source.CONTEXT_FLUSH
        save_facts(owner=owner, facts=facts, session=run.session_id, source=source)
        if run.folded:
            _fold(window, run, _new_summary(window, run, reply))
        # A fold arms the flush again; a flush disarms it until then.
        window.flush_armed = bool(run.folded)
        window.save(update_fields=["start_seq", "kept", "summary_tokens", "flush_armed"])
        run.state, run.finished_at = CompactionRun.State.APPLIED, timezone.now()
        # What is kept of it stands elsewhere, and may be forgotten there.
        run.reply = None
        run.save(update_fields=["state", "finished_at", "reply"])


def _check_told(run: CompactionRun) -> None:
    """Raise PlanStale when something was forgotten since the run began: it may tell of that."""
    since = run.created_at - LONGEST_COMMIT
    acts = Forgetting.objects.filter(owner=run.session.owner, made_at__gte=since)
    # A note or a connection that was deleted is told by no conversation, and buries nothing.
    if acts.exclude(tombstones=[]).exists():
        raise PlanStale("something was forgotten meanwhile")


def _fact(found: Mapping[str, str]) -> NewFact:
    return NewFact(
        found["key"], found["value"], found["category"], source_event=found.get("source_event", "")
    )


def _locked(run: CompactionRun) -> LaneWindow:
    """Lock the session, as every writer of its log does first, and its lane."""
    session = Session.objects.select_for_update().get(pk=run.session_id)
    window = LaneWindow.objects.select_for_update().get(session=session, lane=run.lane)
    if not session.is_open or window.start_seq != run.start_seq:
        raise PlanStale(f"the lane has moved on from event {run.start_seq}")
    return window


def _new_summary(window: LaneWindow, run: CompactionRun, reply: CompactionReply) -> Folded:
    if not STRATEGIES[run.strategy].keeps_reference_summary:
        text = reply.summaries[-1] if reply.summaries else ""
        return Folded(text, text)
    text, news = "", SummaryContent()
    for place, raw in enumerate(reply.deltas):
        sessions = sessions_named(run, raw)
        delta = checked_delta(run, raw)
        version = run.summary_version + place
        news = applied(news, delta, sessions=sessions)
        text = render_summary(
            apply_delta(window=window, delta=delta, version=version, sessions=sessions)
        )
    return Folded(text, render_summary(news))


def _fold(window: LaneWindow, run: CompactionRun, folded: Folded) -> None:
    name = run.session.external_id or "session"
    archive = write_archive(owner=run.session.owner, session_name=name, content=folded.news)
    failpoint("compact.after_archive")
    before = CompactMarker.objects.filter(session=run.session, lane=run.lane)
    number = before.aggregate(newest=Max("number"))["newest"] or 0
    CompactMarker.objects.create(
        session=run.session,
        lane=run.lane,
        number=number + 1,
        seq=run.last_seq,
        folded=run.folded,
        archive_name=archive.name,
        archived_at=archive.created_at,
    )
    failpoint("compact.after_marker")
    window.start_seq, window.kept = run.next_start_seq, run.next_kept
    window.summary_tokens = summary_tokens(folded.summary)
