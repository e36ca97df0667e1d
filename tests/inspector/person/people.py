"""A person who can sign in, and what is remembered of them."""

from accounts.models import Agent, Owner, User
from consolidation.intake.accept import accept_events
from knowledge.changes.apply import Evidence, ItemChange, apply_changes
from knowledge.models import Fact
from memory.models import Event
from tests.factories import make_session, said

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}"


def make_person(agent: Agent, name: str = "alice") -> tuple[User, Owner]:
    """Return a person who may sign in, and the owner an agent knows them as."""
    owner = make_session(agent, name).owner
    person = owner.user
    person.username = name
    person.save()
    return person, owner


def make_fact(owner: Owner, object_: str = "trout", quote: str = "", **fields) -> Fact:
    """Remember a fact of something said in a conversation of its own, as learning does."""
    session = make_session(owner.agent, owner.key)
    words = quote or f"My cat only eats {object_}."
    lines = [said("Hello"), said("Hi, how are you?", "assistant"), said(words)]
    accept_events(agent=owner.agent, session=session, drafts=lines)
    source = Event.objects.filter(session=session).order_by("-seq")[0]
    values = {
        "category": "relationship",
        "subject_type": "User",
        "subject": "user",
        "predicate": "KNOWS",
        "object_type": "Concern",
        "object": object_,
        "evidence_quote": words,
        "confidence": "high",
        "source_session": session.pk,
        "source_events": [source.reference],
        "write_timing": "immediate",
        "write_reason": "llm_policy",
        "policy_version": "1",
        **fields,
    }
    change = ItemChange(
        kind="fact",
        act="add",
        target=None,
        fields=values,
        evidence=Evidence(words, source.reference, "high"),
        code="llm_policy",
        reason="",
        policy_version="1",
    )
    made = apply_changes(
        owner=owner, origin="turn", run_key=str(session.pk), changes=[change], session=session.pk
    )
    return Fact.objects.get(pk=made.items.get().target)
