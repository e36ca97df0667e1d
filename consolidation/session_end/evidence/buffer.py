"""A session's memory buffer: the candidates that wait for its end, and what became of them."""

from collections.abc import Sequence

from django.db.models import Q
from django.utils import timezone

from consolidation.learning.gate.cues import is_negative_self_belief
from consolidation.models import Candidate
from consolidation.models.candidate import CandidateQuerySet
from consolidation.session_end.evidence.clusters import Held
from consolidation.verdict import FactCandidate, RuleCandidate, VerdictCode
from memory.models import Session

Lane = Candidate.Lane
State = Candidate.State
# Begins the outcome of what could not be promoted: the step tries it again when it is repeated.
ERROR = "error."
OUTCOME_CHARACTERS = 40
WAITS = Q(state=State.HELD) | Q(state=State.FAILED, outcome__startswith=ERROR)


def held_facts(session: Session) -> list[Held[FactCandidate]]:
    """Return the held facts; a negative self-belief has to be said again, however it is held."""
    found = [
        (row, FactCandidate(**row.payload)) for row in _with_words(_held(session, Lane.SEMANTIC))
    ]
    return [Held(row.pk, fact, _is_gated(row, fact), _is_let_in(row)) for row, fact in found]


def held_rules(session: Session) -> list[Held[RuleCandidate]]:
    rows = _with_words(_held(session, Lane.PROCEDURAL))
    return [Held(row.pk, _rule(row), is_let_in=_is_let_in(row)) for row in rows]


def promoted_rules(session: Session) -> list[RuleCandidate]:
    rows = Candidate.objects.filter(session=session, lane=Lane.PROCEDURAL, state=State.PROMOTED)
    return [_rule(row) for row in rows.order_by("pk") if row.payload]


def settle(members: Sequence[int], *, state: str, outcome: str) -> int:
    """Record what became of candidates; return how many there were."""
    return _settle(Candidate.objects.filter(pk__in=members), state, outcome)


def settle_lane(session: Session, lane: str, *, state: str, outcome: str) -> int:
    """Record the same of all that a lane holds; return how many there were."""
    return _settle(_held(session, lane), state, outcome)


def _settle(rows: CandidateQuerySet, state: str, outcome: str) -> int:
    return rows.update(state=state, outcome=outcome, decided_at=timezone.now())


def _held(session: Session, lane: str) -> CandidateQuerySet:
    return Candidate.objects.filter(WAITS, session=session, lane=lane)


def _with_words(rows: CandidateQuerySet) -> list[Candidate]:
    """Return candidates in order; what was emptied, because it is to be forgotten, is let go."""
    _settle(rows.filter(payload={}), State.SKIPPED, VerdictCode.TOMBSTONE)
    return list(rows.order_by("pk"))


def _is_gated(row: Candidate, fact: FactCandidate) -> bool:
    return row.action == Candidate.Action.REPETITION or is_negative_self_belief(fact.quote)


def _is_let_in(row: Candidate) -> bool:
    return row.action == Candidate.Action.COMMIT_NOW


def _rule(row: Candidate) -> RuleCandidate:
    return RuleCandidate(**row.payload)
