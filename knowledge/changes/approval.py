"""Which changes are taken at once, and which wait for a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F, Q

from accounts.models import Agent, Owner
from audit.log import record
from knowledge.models import ApprovalPolicy, ChangeItem, Changeset
from knowledge.models.learned import Category, Confidence

Mode = ApprovalPolicy.Mode
State = ChangeItem.State
CATEGORIES = (*Category.values, ChangeItem.Kind.ARC.value, ChangeItem.Kind.RULE.value)
# Of one run. More than a few at once may be a mistake of a model's, or somebody's doing.
MOST_RETIREMENTS = 3
CONFIDENCES = list(Confidence.values)
# Whoever does it on purpose has approved it.
BY_HAND = (
    Changeset.Origin.PERSON,
    Changeset.Origin.OPERATOR,
    Changeset.Origin.REVERT,
    Changeset.Origin.IMPORT,
)


@dataclass(frozen=True, slots=True)
class NewPolicy:
    """How changes of a category are to be taken; `least_confidence` counts for `above` alone."""

    category: str
    mode: str
    least_confidence: str = "high"


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """A change as far as it matters here. `touches` are the ids of the items it is about.

    One that `waits` is for a person to take, whatever the policies say.
    """

    category: str
    act: str
    confidence: str
    touches: frozenset[str]
    waits: bool = False


def policies_for(owner: Owner) -> dict[str, ApprovalPolicy]:
    """Return what counts for an owner, by category: the owner's own before the agent's."""
    found = ApprovalPolicy.objects.filter(Q(owner=owner) | Q(owner=None), agent=owner.agent_id)
    return {row.category: row for row in found.order_by(F("owner").asc(nulls_first=True))}


def policies_of(owner: Owner) -> list[NewPolicy]:
    """Return what was set for an owner alone."""
    found = ApprovalPolicy.objects.filter(owner=owner).order_by("category")
    return [NewPolicy(one.category, one.mode, one.least_confidence) for one in found]


def rule_on(asked: Sequence[ProposedChange], policies: Mapping[str, ApprovalPolicy]) -> list[State]:
    """Return for each change of one run whether it is applied, waits, or is rejected.

    Changes that are about the same items wait together: a replacement is whole or not at all.
    """
    retired = [one.act == ChangeItem.Act.RETIRE for one in asked]
    is_much = sum(retired) > MOST_RETIREMENTS
    states = [
        _waits(_by_policy(one, policies.get(one.category)), one.waits or (is_much and retires))
        for one, retires in zip(asked, retired, strict=True)
    ]
    _wait_together(asked, states)
    return states


def linked(touches: Sequence[frozenset[str]], first: frozenset[str]) -> frozenset[str]:
    """Return the ids that hang together with the first ones, over any number of changes."""
    found, size = first, -1
    while len(found) != size:
        size = len(found)
        found = found.union(*(one for one in touches if one & found))
    return found


@transaction.atomic
def set_policies(
    *, agent: Agent, owner: Owner | None, policies: Sequence[NewPolicy], actor: str
) -> None:
    """Replace an agent's policies, or those of one owner; what is left out is automatic."""
    # One at a time: two sets of policies never mix.
    Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)
    ApprovalPolicy.objects.filter(agent=agent, owner=owner).delete()
    ApprovalPolicy.objects.bulk_create(
        ApprovalPolicy(
            agent=agent,
            owner=owner,
            category=one.category,
            mode=one.mode,
            least_confidence=one.least_confidence,
        )
        for one in policies
    )
    detail: dict[str, str | int] = {one.category: one.mode for one in policies}
    if owner:
        detail["owner"] = owner.pk
    record(actor=actor, action="approval.set", subject=agent.slug, detail=detail)


def _by_policy(asked: ProposedChange, policy: ApprovalPolicy | None) -> State:
    if policy is None or policy.mode == Mode.AUTOMATIC or asked.act == ChangeItem.Act.BUMP:
        return State.APPLIED
    if policy.mode == Mode.NEVER:
        return State.REJECTED
    is_sure = policy.mode == Mode.ABOVE and _rank(asked.confidence) >= _rank(
        policy.least_confidence
    )
    return State.APPLIED if is_sure else State.WAITING


def _waits(state: State, is_too_much: bool) -> State:
    return State.WAITING if is_too_much and state == State.APPLIED else state


def _wait_together(asked: Sequence[ProposedChange], states: list[State]) -> None:
    touches = [one.touches for one in asked]
    waiting = frozenset[str]().union(
        *(ids for ids, state in zip(touches, states, strict=True) if state == State.WAITING)
    )
    together = linked(touches, waiting)
    for place, ids in enumerate(touches):
        if ids & together:
            states[place] = _waits(states[place], True)


def _rank(confidence: str) -> int:
    return CONFIDENCES.index(confidence) if confidence in CONFIDENCES else -1
