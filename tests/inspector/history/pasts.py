"""A memory with a past: a run that stands, one that waits, one that replaced, one by hand."""

from dataclasses import dataclass, replace

from accounts.models import Agent, Owner
from accounts.owners import resolve_owner
from knowledge.changes.apply import Evidence, edit_item
from knowledge.changes.approval import NewPolicy, set_policies
from knowledge.models import Changeset, Fact
from knowledge.profile.edit import edit_profile
from tests.factories import make_session
from tests.knowledge.learned import (
    added,
    arc_fields,
    changed,
    fact_fields,
    replaced,
    rule_fields,
)

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>{{ 7|add:7 }}"


@dataclass(frozen=True)
class Past:
    owner: Owner
    first: Changeset
    waiting: Changeset
    moved: Changeset
    edited: Changeset


def make_past(agent: Agent, user: str = "alice", words: str = "") -> Past:
    """Return a memory; `words` stand in every field that a person or a model writes."""
    owner = resolve_owner(agent=agent, user=user)
    said = make_session(agent, user)
    lyon = added(fields=fact_fields(f"Lyon{words}", f"I live in Lyon.{words}"))
    tea = added(
        fields=fact_fields(
            "green tea", "I drink green tea.", category="preference", predicate="USES"
        )
    )
    rule = added("rule", rule_fields(f"You answer briefly.{words}"))
    arc = added("arc", arc_fields(said.pk, summary=f"They planned the move.{words}"))
    first = changed(owner, lyon, tea, rule, arc)
    edit_profile(
        owner=owner,
        part="narrative",
        fields={"text": f"She is moving house.{words}"},
        actor="alice",
    )
    edit_profile(
        owner=owner,
        part="scaffold",
        fields={"/Places/Home": f"a flat{words}", "/Work/Role": "baker"},
        actor="alice",
    )
    policies = [NewPolicy("goal", "approved")]
    set_policies(agent=agent, owner=None, policies=policies, actor="test")
    goal = fact_fields(
        f"to run ten kilometres{words}",
        "By May I want to run ten.",
        category="goal",
        predicate="WANTS",
    )
    waiting = changed(owner, added(fields=goal))
    paris = added(fields=fact_fields(f"Paris{words}", f"I moved to Paris.{words}"))
    why = Evidence(f"I moved to Paris.{words}", "ev-2", "high")
    both = [replace(one, evidence=why) for one in (paris, replaced(lyon.target, paris.target))]
    moved = changed(owner, *both, origin="session_end")
    green = Fact.objects.get(pk=tea.target)
    edited = edit_item(
        owner=owner, kind="fact", target=green.pk, fields={"object": "black tea"}, actor="alice"
    )
    return Past(owner, first, waiting, moved, edited)
