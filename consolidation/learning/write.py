"""Keep what a lane found in a turn, with its verdicts: all of it in one transaction, or nothing."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import cast

from django.db.models import F, Func, JSONField, Value
from django.db.models.expressions import Combinable
from django.utils import timezone

from audit.failpoint import failpoint
from consolidation.jobs import runs
from consolidation.jobs.queue import Attempt, holding
from consolidation.learning.ask import Judged, LearningReply
from consolidation.learning.lanes import LANES
from consolidation.learning.reconcile.job import commit_candidates
from consolidation.learning.reconcile.outcomes import Made, Outcome, Tally
from consolidation.learning.turn import Turn
from consolidation.models import Candidate, LearningRun
from consolidation.verdict import (
    Action,
    FactCandidate,
    FactOrRule,
    RuleCandidate,
    Verdict,
    VerdictCode,
)
from knowledge.models import Changeset

State = Candidate.State
STATE_OF_ACTION = {
    Action.COMMIT_NOW: State.COMMITTED,
    Action.SESSION_END: State.HELD,
    Action.REPETITION: State.HELD,
    Action.DROP: State.DROPPED,
}
STATE_OF_CODE = {
    VerdictCode.ERROR_POLICY_LLM: State.FAILED,
    VerdictCode.UNTRUSTED_SOURCE: State.QUARANTINED,
}
# What is not here is known now, or waits for a person to say so.
STATE_OF_MADE = {
    Made.BURIED: State.DROPPED,
    Made.REFUSED: State.SKIPPED,
    Made.FAILED: State.FAILED,
}
# Of these not even the log of verdicts keeps a word.
UNSPEAKABLE = frozenset({VerdictCode.MEMORY_CONTROL, VerdictCode.SECRET})


def open_runs(job: Attempt, turn: Turn) -> list[LearningRun]:
    """Return the turn's run of each lane; made once, so that what is under way can be seen."""
    found = LearningRun.objects.filter(session=turn.session, turn=turn.seq)
    last = turn.last_seq if turn.last_seq > turn.seq else 0
    rows = [
        LearningRun(session=turn.session, lane=lane, turn=turn.seq, last_turn=last)
        for lane in LANES
    ]
    with holding(job):
        LearningRun.objects.bulk_create(rows, ignore_conflicts=True)
    by_lane = {run.lane: run for run in found}
    return [by_lane[lane] for lane in LANES]


def pin(job: Attempt, run: LearningRun, reply: LearningReply) -> None:
    """Keep what has been answered so far, and lengthen the lease. Raises LeaseLost."""
    failpoint("learn.after_reply")
    runs.pin(job, run, reply=asdict(reply), state=LearningRun.State.REPLIED)
    failpoint("learn.after_pin")


def write(job: Attempt, run: LearningRun, turn: Turn, judged: Judged, *, unfit: int = 0) -> None:
    """Commit what may be known at once, keep all candidates with their verdicts, and end the run.

    `unfit` counts what the model proposed besides, and nobody could read. Raises LeaseLost, and what commit_candidates raises; then nothing was written.
    """
    places = [place for place, (_, verdict) in enumerate(judged) if _is_at_once(verdict)]
    keep = partial(_keep, run, judged, places, unfit)
    outcome = _commit(job, run, turn, [judged[place] for place in places], keep)
    if run.state != LearningRun.State.DONE:
        with holding(job):
            keep(outcome)
    failpoint("learn.after_write")


def _is_at_once(verdict: Verdict) -> bool:
    return verdict.action is Action.COMMIT_NOW


def _commit(
    job: Attempt, run: LearningRun, turn: Turn, chosen: Judged, keep: Callable[[Outcome], None]
) -> Outcome:
    if not chosen:
        return Outcome(Tally(), Tally())
    return commit_candidates(
        job=job,
        owner=turn.session.owner,
        session=turn.session,
        facts=[(one, verdict) for one, verdict in chosen if isinstance(one, FactCandidate)],
        rules=[(one, verdict) for one, verdict in chosen if isinstance(one, RuleCandidate)],
        origin=Changeset.Origin.TURN,
        run_key=f"{turn.run_key}:{run.lane}",
        mark=keep,
    )


def _keep(
    run: LearningRun, judged: Judged, places: Sequence[int], unfit: int, outcome: Outcome
) -> None:
    """Write the candidates and end the run, in the caller's transaction.

    `places` are of the candidates that were to be committed, in the order of their outcome.
    """
    made = dict(zip(places, (*outcome.facts.made, *outcome.rules.made), strict=True))
    rows = [_row(run, place, *one, made.get(place)) for place, one in enumerate(judged)]
    Candidate.objects.bulk_create(rows)
    failpoint("learn.mid_write")
    counts = _counts(run.lane, rows) | ({"unfit": unfit} if unfit else {})
    _end(run, LearningRun.State.DONE, counts | _writes(run.lane, outcome))


def fail(job: Attempt, found: Sequence[LearningRun], code: str) -> None:
    """End runs whose request will be rejected again. Raises LeaseLost."""
    with holding(job):
        for run in found:
            _end(run, LearningRun.State.FAILED, {f"{run.lane}_error": code}, code)


def note(job: Attempt, found: Sequence[LearningRun], code: str) -> None:
    """Say in runs why they wait; those that are done already say nothing. Raises LeaseLost."""
    with holding(job):
        for run in found:
            if run.finished_at is None:
                runs.note(run, code)
                _report(run, {f"{run.lane}_error": code})


def _row(
    run: LearningRun, place: int, candidate: FactOrRule, verdict: Verdict, made: Made | None
) -> Candidate:
    state = STATE_OF_CODE.get(verdict.code, STATE_OF_ACTION[verdict.action])
    if made:
        state = STATE_OF_MADE.get(made, state)
    is_silent = verdict.code in UNSPEAKABLE or made is Made.BURIED
    return Candidate(
        session_id=run.session_id,
        lane=run.lane,
        turn=candidate.turn,
        place=place,
        payload={} if is_silent else asdict(candidate),
        source_event=candidate.source_event,
        action=verdict.action.value,
        code=verdict.code.value,
        reason=verdict.reason,
        policy_version=verdict.policy_version,
        state=state,
        outcome=made.value if made else "",
        decided_at=None if state == State.HELD else timezone.now(),
    )


def _end(run: LearningRun, state: str, report: Mapping[str, object], code: str = "") -> None:
    """End a run. Its reply goes: the candidates hold what is kept of it."""
    runs.end(run, state, code)
    _report(run, report)


def _counts(lane: str, rows: Iterable[Candidate]) -> dict[str, object]:
    counted = Counter(row.state for row in rows)
    states = {f"{lane}_{state}": count for state, count in sorted(counted.items())}
    return {f"{lane}_found": counted.total(), f"{lane}_error": "", **states}


def _writes(lane: str, outcome: Outcome) -> dict[str, object]:
    tally = outcome.facts if lane == Candidate.Lane.SEMANTIC else outcome.rules
    names = ("writes", "bumps", "supersedes", "skips", "failures")
    counted = {name: int(getattr(tally, name)) for name in names}
    return {f"{lane}_{name}": count for name, count in counted.items() if count}


def _report(run: LearningRun, report: Mapping[str, object]) -> None:
    """Add a lane's keys to the turn's one report, which both runs carry; neither erases the other's."""
    together = Func(
        F("diagnostics"),
        Value(dict(report), JSONField()),
        template="%(expressions)s",
        arg_joiner=" || ",
        output_field=JSONField(),
    )
    runs = LearningRun.objects.filter(session=run.session_id, turn=run.turn)
    runs.update(diagnostics=cast("Combinable", together))
