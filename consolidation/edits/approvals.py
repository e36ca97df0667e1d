"""What a person says of what is not yet, or not quite, remembered."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Owner
from audit.log import record
from consolidation.errors import CandidateNotHeld
from consolidation.models import Candidate
from knowledge.changes.approval import NewPolicy, policies_of, set_policies
from knowledge.changes.corrections import release_item

State, Action = Candidate.State, Candidate.Action
DROPPED = "person.dropped"


@transaction.atomic
def decide_candidate(*, owner: Owner, candidate: int, keep: bool, actor: str) -> None:
    """Let a held candidate in when its session ends, whatever else bears it out; or drop its words.

    Raises CandidateNotHeld when it waits no more.
    """
    found = Candidate.objects.select_for_update(of=("self",)).held()
    row = found.filter(pk=candidate, session__owner=owner).first()
    if row is None:
        raise CandidateNotHeld("it waits no more, or never did")
    if keep:
        row.action = Action.COMMIT_NOW
    else:
        row.state, row.outcome, row.decided_at = State.SKIPPED, DROPPED, timezone.now()
        row.payload, row.reason = {}, ""
    row.save()
    action = "memory.keep_candidate" if keep else "memory.drop_candidate"
    record(actor=actor, action=action, subject=str(candidate))


@transaction.atomic
def release(*, owner: Owner, kind: str, target: UUID, actor: str) -> None:
    """Take an item out of quarantine: from now on it counts. Raises ItemUnknown."""
    release_item(owner=owner, kind=kind, target=target, actor=actor)
    record(actor=actor, action=f"memory.release_{kind}", subject=str(target))


def never_again(*, owner: Owner, category: str, actor: str) -> None:
    """Remember nothing more of one category of an owner; what is remembered already stays."""
    others = [one for one in policies_of(owner) if one.category != category]
    policies = [*others, NewPolicy(category, "never")]
    set_policies(agent=owner.agent, owner=owner, policies=policies, actor=actor)
