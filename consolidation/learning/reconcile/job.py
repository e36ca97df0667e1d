"""Candidates that passed the gate, into what is known: load, ask, decide, write."""

import logging
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from accounts.models import Owner
from audit.failpoint import failpoint
from consolidation.embedding.learned import nudge
from consolidation.errors import PlanStale, Postponed
from consolidation.jobs.queue import Attempt, holding
from consolidation.learning.reconcile.matching import normalised
from consolidation.learning.reconcile.observe import observe_facts
from consolidation.learning.reconcile.outcomes import Made, Outcome, Tally
from consolidation.learning.reconcile.planning import (
    Facts,
    Learning,
    Planned,
    Rules,
    load_view,
    plan,
)
from knowledge.changes.apply import apply_changes
from knowledge.errors import ItemChanged
from knowledge.items.rows import lock_memory
from knowledge.models import ChangeItem, Changeset
from memory.models import Session

log = logging.getLogger(__name__)
TRIES = 3
AGAIN_SECONDS = 1.0
# By the state of the first change of a candidate; one that is applied is what was planned.
OTHERWISE: Mapping[str, Made] = {
    ChangeItem.State.WAITING: Made.WAITING,
    ChangeItem.State.REJECTED: Made.REFUSED,
}
Mark = Callable[[Outcome], None]


def commit_candidates(
    *,
    job: Attempt,
    owner: Owner,
    session: Session,
    facts: Facts,
    rules: Rules,
    origin: str,
    run_key: str,
    mark: Mark | None = None,
) -> Outcome:
    """Write candidates, or let them do what they do to what is known; all in one transaction.

    `mark` is called in that transaction. A run that was done before is not done again. A candidate
    about which the model answers nonsense has failed, and the others go on. Raises LeaseLost;
    ProviderFault when the model cannot answer at all; Postponed when others keep changing what the
    candidates collide with. Then nothing was written.
    """
    facts = [(normalised(candidate, owner.key), verdict) for candidate, verdict in facts]
    learning = Learning(job, owner, session.pk, origin, run_key)
    for _ in range(TRIES):
        if Changeset.objects.filter(owner=owner, run_key=run_key).exists():
            return _repeated(len(facts), len(rules))
        view = load_view(owner, facts, rules)
        planned = plan(learning, view, facts, rules)
        failpoint("reconcile.after_reply")
        try:
            with holding(job):
                lock_memory(owner)
                if load_view(owner, facts, rules) != view:
                    raise PlanStale("what the candidates collide with has changed")
                outcome = _write(learning, planned, len(facts))
                if mark:
                    mark(outcome)
                if outcome.facts.writes:
                    nudge()
                return outcome
        except (PlanStale, ItemChanged):
            log.info("learning %s begins anew", run_key)
    raise Postponed("memory_moved", seconds=AGAIN_SECONDS, counts=False)


def _write(learning: Learning, planned: Sequence[Planned], facts: int) -> Outcome:
    """Apply what is planned; the first so many are facts, the rest rules."""
    changes = [change for one in planned for change in one.changes]
    states: dict[int, str] = {}
    if changes:
        written = apply_changes(
            owner=learning.owner,
            origin=learning.origin,
            run_key=learning.run_key,
            changes=changes,
            session=learning.session,
        )
        observe_facts(written)
        states = dict(written.items.values_list("place", "state"))
    made = _made(planned, states)
    return Outcome(Tally(made[:facts]), Tally(made[facts:]))


def _made(planned: Sequence[Planned], states: Mapping[int, str]) -> tuple[Made, ...]:
    starts = accumulate((len(one.changes) for one in planned), initial=0)
    return tuple(
        OTHERWISE.get(states[start], one.made) if one.changes else one.made
        for one, start in zip(planned, starts, strict=False)
    )


def _repeated(facts: int, rules: int) -> Outcome:
    return Outcome(Tally((Made.REPEATED,) * facts), Tally((Made.REPEATED,) * rules))
