"""What is to become of candidates, beside what is known: by rule where it is plain, else by a model."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.db.models import Q

from accounts.ids import new_id
from accounts.models import Owner
from consolidation import prompts
from consolidation.jobs.backoff import call_seconds
from consolidation.jobs.queue import Attempt, holding
from consolidation.learning.reconcile.dates import when_said
from consolidation.learning.reconcile.entities import Entities, KnownEntity, load_entities
from consolidation.learning.reconcile.matching import (
    Act,
    Decision,
    KnownFact,
    KnownRule,
    MatchInvalid,
    colliding,
    decide_change,
    decide_fact,
    decide_rule,
    in_time,
    known_fact,
    known_rule,
)
from consolidation.learning.reconcile.outcomes import Made
from consolidation.learning.reconcile.proposals import (
    changes_of,
    evidence_of,
    fact_fields,
    is_trusted,
    may_replace,
    rule_fields,
    source_fields,
)
from consolidation.verdict import FactCandidate, FactOrRule, RuleCandidate, Verdict
from extraction.contracts.learning import MOST_INDEXES
from knowledge.changes.apply import ItemChange
from knowledge.changes.corrections import corrected_at
from knowledge.items.tombstones import is_buried
from knowledge.models import ChangeItem, Fact, Rule
from providers.chat import Answer, Task
from providers.errors import ReplyMalformed, RequestRejected
from providers.registry import chat_model

log = logging.getLogger(__name__)
Kind = ChangeItem.Kind
Known = TypeVar("Known", bound=KnownFact | KnownRule)
Facts = Sequence[tuple[FactCandidate, Verdict]]
Rules = Sequence[tuple[RuleCandidate, Verdict]]
NEW = frozenset({Act.ADD, Act.SUPERSEDE})
MADE = {
    Act.ADD: Made.WRITTEN,
    Act.BUMP: Made.BUMPED,
    Act.SUPERSEDE: Made.SUPERSEDED,
    Act.SKIP: Made.SKIPPED,
    Act.RETIRE: Made.RETIRED,
}


@dataclass(frozen=True, slots=True)
class Learning:
    """One run that learns: for whom, from which session, and under which job."""

    job: Attempt
    owner: Owner
    session: UUID
    origin: str
    run_key: str


@dataclass(frozen=True, slots=True)
class KnownItems:
    """What is known and collides with the candidates, oldest first: what the plan is made on."""

    facts: tuple[KnownFact, ...]
    rules: tuple[KnownRule, ...]
    entities: tuple[KnownEntity, ...] = ()


@dataclass(frozen=True, slots=True)
class Planned:
    """What is to become of one candidate."""

    made: Made
    changes: tuple[ItemChange, ...] = ()


def load_view(owner: Owner, facts: Facts, rules: Rules) -> KnownItems:
    """Return what counts now and may be touched by the candidates."""
    candidates = [candidate for candidate, _ in facts]
    named = {target for one in candidates for target in one.targets}
    rows = Fact.objects.filter(
        Q(pk__in=named)
        | Q(
            category__in={one.category for one in candidates},
            predicate__in={one.predicate for one in candidates},
        ),
        owner=owner,
    )
    found = list(rows.active().order_by("created_at", "pk"))
    said = _said_at(owner, found)
    known = [_known(row, said.get(row.pk)) for row in found]
    near = {fact.id for one in candidates for fact in colliding(one, known)}
    near |= {fact.id for fact in known if str(fact.id) in named}
    texts = Rule.objects.filter(owner=owner).active().order_by("created_at", "pk")
    return KnownItems(
        tuple(fact for fact in known if fact.id in near),
        tuple(KnownRule(row.pk, row.text) for row in texts) if rules else (),
        load_entities(owner) if any(one.entity_kind for one in candidates) else (),
    )


def plan(learning: Learning, view: KnownItems, facts: Facts, rules: Rules) -> list[Planned]:
    """Return what is to become of each candidate, facts first. Raises ProviderFault or LeaseLost."""
    return [*_plan_facts(learning, view, facts), *_plan_rules(learning, view, rules)]


def _plan_facts(learning: Learning, view: KnownItems, facts: Facts) -> list[Planned]:
    known, planned = list(view.facts), list[Planned]()
    entities = Entities(view.entities)
    said = when_said({(learning.session, candidate.turn) for candidate, _ in facts})
    for candidate, verdict in facts:
        fields = fact_fields(candidate)
        new = _new_fact(new_id(), candidate, said.get((learning.session, candidate.turn)))
        decision = _buried(learning, Kind.FACT, fields) or _decide_fact(learning, candidate, known)
        if isinstance(decision, Decision):
            decision = in_time(decision, known, new.said_at)
        besides: Sequence[ItemChange] = ()
        if candidate.op and isinstance(decision, Decision) and decision.act in NEW:
            source = source_fields(candidate, verdict, learning.session, learning.origin)
            about, besides = entities.entity_of(candidate, source, evidence_of(candidate), verdict)
            fields |= {"about": about, "said_at": new.said_at}
        one = _planned(learning, new.id, fields, candidate, verdict, decision)
        planned.append(replace(one, changes=(*one.changes, *besides)))
        known = _after(known, new, candidate, decision)
    return planned


def _plan_rules(learning: Learning, view: KnownItems, rules: Rules) -> list[Planned]:
    known, planned = list(view.rules), list[Planned]()
    for candidate, verdict in rules:
        fields = rule_fields(candidate, learning.origin)
        new = KnownRule(new_id(), candidate.text)
        decision = _buried(learning, Kind.RULE, fields) or _decide_rule(learning, candidate, known)
        planned.append(_planned(learning, new.id, fields, candidate, verdict, decision))
        known = _after(known, new, candidate, decision)
    return planned


def _buried(learning: Learning, kind: str, fields: Mapping[str, object]) -> Made | None:
    is_gone = is_buried(owner=learning.owner, kind=kind, fields=fields)
    return Made.BURIED if is_gone else None


def _decide_fact(
    learning: Learning, candidate: FactCandidate, known: Sequence[KnownFact]
) -> Decision | Made:
    """Decide about a fact; what is not trusted touches nothing that is."""
    if candidate.op:
        return decide_change(candidate, known)
    near = colliding(candidate, known)[-MOST_INDEXES:] if is_trusted(candidate) else []
    plain = known_fact(candidate, near)
    if plain:
        return plain
    task = prompts.semantic_reconciliation(candidate, [fact.line for fact in near])
    return _asked(learning, candidate, task, lambda answer: decide_fact(answer, near))


def _decide_rule(
    learning: Learning, candidate: RuleCandidate, known: Sequence[KnownRule]
) -> Decision | Made:
    if candidate.op:
        return decide_change(candidate, known)
    near = list(known) if is_trusted(candidate) else []
    plain = known_rule(candidate.text, near)
    if plain:
        return plain
    task = prompts.procedural_reconciliation(candidate, [rule.text for rule in near])
    return _asked(learning, candidate, task, lambda answer: decide_rule(answer, near))


def _asked(
    learning: Learning,
    candidate: FactOrRule,
    task: Task[Answer],
    decide: Callable[[Answer], Decision],
) -> Decision | Made:
    """Return what a model's answer decides; `failed` for one that decides nothing."""
    try:
        decision = decide(chat_model().complete(task, seconds=call_seconds()).value)
    except (ReplyMalformed, RequestRejected, MatchInvalid) as error:
        log.warning("a candidate of %s failed: %s", learning.run_key, type(error).__name__)
        return Made.FAILED
    if decision.act is Act.SUPERSEDE and not may_replace(candidate):
        decision = Decision(Act.ADD, reason=decision.reason)
    # Nothing is written yet: the next question has the job's whole lease again.
    with holding(learning.job):
        return decision


def _planned(
    learning: Learning,
    id: UUID,
    fields: Mapping[str, object],
    candidate: FactOrRule,
    verdict: Verdict,
    decision: Decision | Made,
) -> Planned:
    if isinstance(decision, Made):
        return Planned(decision)
    source = source_fields(candidate, verdict, learning.session, learning.origin)
    changes = changes_of(
        kind=Kind.FACT if isinstance(candidate, FactCandidate) else Kind.RULE,
        id=id,
        fields={**fields, **source},
        evidence=evidence_of(candidate),
        verdict=verdict,
        decision=decision,
        waits=isinstance(candidate, RuleCandidate) and candidate.waits,
    )
    return Planned(MADE[decision.act], tuple(changes))


def _after(
    known: Sequence[Known], new: Known, candidate: FactOrRule, decision: Decision | Made
) -> list[Known]:
    """Return what the next candidate meets, as if this one were written already."""
    if isinstance(decision, Made) or decision.act in (Act.BUMP, Act.SKIP):
        return list(known)
    left = [one for one in known if one.id not in decision.targets]
    if is_trusted(candidate):
        left.append(new)
    return left


def _new_fact(id: UUID, candidate: FactCandidate, said_at: datetime | None) -> KnownFact:
    return KnownFact(
        id=id,
        category=candidate.category,
        subject=candidate.subject,
        predicate=candidate.predicate,
        object_type=candidate.object_type,
        object=candidate.object,
        quote=candidate.quote,
        said_at=said_at,
    )


def _said_at(owner: Owner, rows: Sequence[Fact]) -> Mapping[UUID, datetime]:
    """Return when facts were said, or put right by hand."""
    places = {row.pk: (row.source_session, row.source_turn) for row in rows if row.source_session}
    said = when_said(set(places.values()))
    found = {pk: said[place] for pk, place in places.items() if place in said}
    return {**found, **corrected_at(owner, [row.pk for row in rows if row.pk not in places])}


def _known(row: Fact, said_at: datetime | None) -> KnownFact:
    return KnownFact(
        id=row.pk,
        category=row.category,
        subject=row.subject,
        predicate=row.predicate,
        object_type=row.object_type,
        object=row.object,
        quote=row.evidence_quote,
        said_at=said_at,
    )
