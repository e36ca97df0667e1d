"""Alice, who spoke of her cat and of her sister, and what she has forgotten of it."""

from datetime import timedelta

from django.utils import timezone

from accounts.models import Owner
from consolidation.deletion.forget import forget
from consolidation.deletion.trace import Target
from consolidation.intake.accept import accept_events, end_session
from knowledge.models import Fact, Forgetting
from recall.prompt.assembly import assemble_context
from tests.consolidation.profile.observed import owner_of, synthesise
from tests.factories import make_session, run_jobs, said

WEEK = timedelta(days=7)
TALK = (
    said("My cat is called Minka."),
    said("Minka is a lovely name for a cat!", "assistant"),
    said("My sister is called Ana, and she lives in Lisbon."),
    said("Lisbon must be warm.", "assistant"),
    said("Remind me to buy bread tomorrow."),
    said("I will.", "assistant"),
)
LATER = (said("What should Minka eat in winter?"), said("Fish is good for her.", "assistant"))
CAT = {"key": "cat", "value": "Minka", "source_event": ""}
BREAD = {"key": "food", "value": "bread", "source_event": ""}
QUESTION = "What do you know of Minka and of my sister Ana in Lisbon?"


def talked(porter) -> Owner:
    """Return alice, who spoke of her cat in two conversations, and has them learned from."""
    for talk in (TALK, LATER):
        session = make_session(porter)
        accept_events(agent=porter, session=session, drafts=list(talk))
        run_jobs()
        end_session(session=session, reason="explicit")
        run_jobs()
    owner = owner_of(porter)
    synthesise(owner)
    return owner


def cat(owner) -> Fact:
    return Fact.objects.get(owner=owner, object__contains="Minka")


def prompt(owner, *, session=None) -> str:
    """Return the next prompt without the question."""
    session = session or make_session(owner.agent)
    accept_events(agent=owner.agent, session=session, drafts=[said(QUESTION)])
    found = assemble_context(session=session, now=timezone.now())
    return "\n".join(str(message["content"]) for message in found.messages[:-1])


def forgotten(owner, keep_for=WEEK, row=None, kind="fact") -> Forgetting:
    row = row or cat(owner)
    doomed = Target(kind, row.pk, row.version)
    act = forget(owner=owner, items=[doomed], actor="alice", keep_for=keep_for).act
    assert act is not None
    return act
