"""A memory with something of every kind in it, for pictures and for what must not run."""

from accounts.models import Owner
from consolidation.models import Candidate
from knowledge.models import Arc, Rule
from tests.factories import WHEN, make_session
from tests.inspector.person.people import make_fact

WHY = {"write_timing": "immediate", "write_reason": "llm_policy", "policy_version": "1"}


def make_rule(owner: Owner, words: str, **fields) -> Rule:
    values = {"evidence": [words], "confidence": "high", "source": "explicit_user"}
    return Rule.objects.create(owner=owner, text=words, **{**WHY, **values, **fields})


def make_arc(owner: Owner, summary: str, **fields) -> Arc:
    return Arc.objects.create(
        owner=owner,
        session=make_session(owner.agent, owner.key).pk,
        started_at=WHEN,
        ended_at=WHEN,
        turn_count=6,
        summary=summary,
        **{**WHY, **fields},
    )


def make_held(owner: Owner, words: str, quote: str) -> Candidate:
    return Candidate.objects.create(
        session=make_session(owner.agent, owner.key),
        lane="semantic",
        turn=1,
        place=0,
        source_event="ev-1",
        payload={"predicate": "WANTS", "object": words, "quote": quote},
        action="commit_at_session_end",
        code="llm_policy",
        policy_version="1",
        state="held",
    )


def make_memory(owner: Owner) -> None:
    make_fact(owner, "trout", is_pinned=True)
    make_fact(owner, "a sister, Bea, in Lisbon", "My sister Bea has moved to Lisbon.")
    make_fact(
        owner,
        "the tram to work",
        "I take the tram to work, never the car.",
        predicate="USES",
        category="context",
        confidence="medium",
    )
    make_fact(
        owner,
        "to run ten kilometres by May",
        "By May I want to run ten kilometres.",
        predicate="WANTS",
        category="goal",
    )
    make_fact(owner, "an allergy to nuts", "She is allergic to nuts.", is_quarantined=True)
    make_rule(owner, "Keep answers short, and begin with the result.")
    make_rule(owner, "Use metric units.", confidence="medium")
    make_arc(
        owner,
        "They planned a small garden behind the house and chose tomatoes and beans.",
        themes=["garden", "spring"],
        open_loops=["which fence to buy"],
    )
    make_held(owner, "a boat one day", "One day I want a boat.")
