"""What a session held, promoted at its end as far as it was borne out."""

import logging
from collections.abc import Callable, Sequence

from django.db import DatabaseError, transaction

from consolidation.errors import LeaseLost, Postponed
from consolidation.jobs.backoff import postponed
from consolidation.jobs.queue import Attempt, holding
from consolidation.learning.gate.cues import is_memory_control
from consolidation.learning.policies import POLICIES
from consolidation.learning.reconcile.job import commit_candidates
from consolidation.learning.reconcile.outcomes import Made, Outcome, Tally
from consolidation.session_end.arc import earlier_arcs, own_arc
from consolidation.session_end.evidence import buffer
from consolidation.session_end.evidence.buffer import Lane, State
from consolidation.session_end.evidence.clusters import Item
from consolidation.session_end.evidence.last_turns import learn_the_rest
from consolidation.session_end.evidence.support import (
    Grounds,
    SupportDecision,
    decide_facts,
    decide_rules,
    grounds,
)
from consolidation.session_end.tally import STEP, Ending, begin
from consolidation.verdict import Action, FactCandidate, RuleCandidate, Verdict, VerdictCode
from knowledge.models import Changeset
from memory.models import Session, SessionStep
from memory.sessions import mark_step
from memory.user_turns import user_turns
from providers.errors import OutOfCredit
from ranking.languages import detect

log = logging.getLogger(__name__)
# What becomes of a candidate that was borne out and is not promoted all the same.
NOT_PROMOTED = {
    Made.SKIPPED: (State.SKIPPED, "skip.known"),
    Made.BURIED: (State.SKIPPED, VerdictCode.TOMBSTONE.value),
    Made.REFUSED: (State.SKIPPED, "approval.never"),
    Made.FAILED: (State.FAILED, f"{buffer.ERROR}reply_malformed"),
}


def learn(run: Attempt, session: Session) -> None:
    """Promote what the session bore out, each lane by itself; the rest is let go.

    Raises Postponed while turns are still learned from, or others change the same memory: the step
    comes again.
    """
    said = user_turns(session)
    learn_the_rest(run, session, said)
    ending, turns = begin(run, session), [turn.text for turn in said]
    policy = POLICIES[session.owner.agent.learning_policy]
    # Else the model has decided by now, line by line.
    if policy.is_cue_enough and any(map(is_memory_control, turns)):
        _let_all_go(ending)
    else:
        held_against = _grounds(ending, turns)
        _by_itself(ending, Lane.PROCEDURAL, lambda: _promote_rules(ending, held_against))
        _by_itself(ending, Lane.SEMANTIC, lambda: _promote_facts(ending, held_against))
    if ending.postponed:
        raise ending.postponed[0]
    state, code = SessionStep.State.DONE, ending.code
    if code:
        state = SessionStep.State.SKIPPED
    with holding(run):
        mark_step(session=session, name=STEP, state=state, error_code=code, details=ending.details)


def _let_all_go(ending: Ending) -> None:
    """Drop all that is held: the user asked in this session that something be not kept."""
    code = VerdictCode.SESSION_MEMORY_CONTROL
    with holding(ending.run):
        for lane in Lane.values:
            dropped = buffer.settle_lane(ending.session, lane, state=State.SKIPPED, outcome=code)
            ending.count(lane, Tally(), skipped=dropped)


def _grounds(ending: Ending, turns: Sequence[str]) -> Grounds:
    """Load what candidates are held against; without the earlier arcs it goes on, and says so."""
    session, earlier = ending.session, list[str]()
    try:
        with transaction.atomic():
            earlier = earlier_arcs(session)
    except DatabaseError as error:
        log.error("session %s: earlier arcs not loaded: %s", session.pk, type(error).__name__)
        ending.is_load_failed = True
    language = detect("\n".join(turns), session.owner.agent.language)
    return grounds(turns=turns, arc=own_arc(session), earlier=earlier, language=language)


def _by_itself(ending: Ending, lane: str, promote: Callable[[], None]) -> None:
    """Do one lane; whatever befalls it, the other has its turn and the session its end."""
    try:
        promote()
    except LeaseLost:
        raise
    except Postponed as reason:
        ending.postponed.append(reason)
    except OutOfCredit as error:
        ending.postponed.append(postponed(error))
    except Exception as error:  # noqa: BLE001 - counted, and kept in the rows
        _fail(ending, lane, str(getattr(error, "code", "")) or type(error).__name__)


def _fail(ending: Ending, lane: str, code: str) -> None:
    log.error("session %s: nothing promoted in %s: %s", ending.session.pk, lane, code)
    ending.code = code
    outcome = f"{buffer.ERROR}{code}"[: buffer.OUTCOME_CHARACTERS]
    with holding(ending.run):
        failed = buffer.settle_lane(ending.session, lane, state=State.FAILED, outcome=outcome)
        ending.count(lane, Tally((Made.FAILED,) * failed))


def _promote_rules(ending: Ending, held_against: Grounds) -> None:
    decisions = decide_rules(buffer.held_rules(ending.session), held_against)
    _commit(ending, Lane.PROCEDURAL, decisions, rules=_promoted(decisions))


def _promote_facts(ending: Ending, held_against: Grounds) -> None:
    rules = buffer.promoted_rules(ending.session)
    decisions = decide_facts(buffer.held_facts(ending.session), held_against, rules)
    _commit(ending, Lane.SEMANTIC, decisions, facts=_promoted(decisions))


def _promoted(decisions: Sequence[SupportDecision[Item]]) -> list[tuple[Item, Verdict]]:
    return [
        (one.item, Verdict(Action.COMMIT_NOW, one.code)) for one in decisions if one.is_promoted
    ]


def _commit(
    ending: Ending,
    lane: str,
    decisions: Sequence[SupportDecision[Item]],
    facts: Sequence[tuple[FactCandidate, Verdict]] = (),
    rules: Sequence[tuple[RuleCandidate, Verdict]] = (),
) -> None:
    """Write what is promoted and, in the same transaction, what became of each candidate."""
    run, session = ending.run, ending.session

    def settle(outcome: Outcome) -> None:
        _settle(ending, lane, decisions, outcome.facts if facts else outcome.rules)

    if not facts and not rules:
        with holding(run):
            settle(Outcome(Tally(), Tally()))
        return
    commit_candidates(
        job=run,
        owner=session.owner,
        session=session,
        facts=facts,
        rules=rules,
        origin=Changeset.Origin.SESSION_END,
        # What is settled is held no more: a key for each attempt lets what failed be tried again.
        run_key=f"promote:{session.pk}:{lane}:{run.id}.{run.fence}",
        mark=settle,
    )


def _settle(
    ending: Ending, lane: str, decisions: Sequence[SupportDecision[Item]], tally: Tally
) -> None:
    made, skipped = iter(tally.made), 0
    for one in decisions:
        state, code = State.PROMOTED, one.code.value
        if one.is_promoted:
            state, code = NOT_PROMOTED.get(next(made), (state, code))
        else:
            state = State.SKIPPED
            skipped += len(one.members)
        buffer.settle(one.members, state=state, outcome=code)
    ending.count(lane, tally, skipped)
