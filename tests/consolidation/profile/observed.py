"""Observations of alice, and a model that answers as a test wants."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import connection

from accounts.models import Owner
from accounts.owners import resolve_owner
from consolidation.intake.accept import accept_events
from consolidation.job_kinds import run_job
from consolidation.jobs.queue import Attempt
from consolidation.models import ContextEvent, Job
from consolidation.profile.claim import ref_of
from consolidation.profile.request import request_synthesis
from extraction.rules.model import OfflineChat
from knowledge.models import LearnedInfo, Scaffold, UserNarrative
from providers.chat import Completion, Purpose, Task
from tests.factories import WHEN, make_session, run_jobs, said

ROUND = Attempt(0, "memory_runner", "periodic", "", 0, 0, 0)
Answers = dict[str, object] | BaseException | Callable[[], None]


def owner_of(agent, user: str = "alice") -> Owner:
    return resolve_owner(agent=agent, user=user)


def observed(
    owner: Owner,
    text: str,
    type: str = "fact",
    source: str = "interactive",
    at: datetime | None = None,
    days: float = 0,
) -> ContextEvent:
    return ContextEvent.objects.create(
        owner=owner,
        organization_id=owner.agent.organization_id,
        event_type=type,
        content=text,
        source_metadata={"source": source},
        observed_at=(at or WHEN) + timedelta(days=days),
    )


def synthesise(owner: Owner) -> Job:
    """Do the owner's job once, as a worker would."""
    Job.objects.filter(state="due").update(not_before="2020-01-01T00:00Z", dispatched_at=None)
    job = request_synthesis(owner.pk)
    run_job(job)
    return Job.objects.get(pk=job)


def speak_of_cat_and_sister(agent) -> Owner:
    """Have two facts of alice learned in a talk; return whose they are."""
    session = make_session(agent)
    texts = ("My cat is called Minka.", "My sister is called Ana.")
    drafts = [draft for text in texts for draft in (said(text), said("I see.", "assistant"))]
    accept_events(agent=agent, session=session, drafts=drafts)
    run_jobs()
    return owner_of(agent)


def narrative(owner: Owner) -> str:
    row = UserNarrative.objects.filter(owner=owner).first()
    return row.text if row else ""


def scaffold(owner: Owner) -> dict:
    row = Scaffold.objects.filter(owner=owner).first()
    return row.data if row else {}


def learned(owner: Owner) -> list[str]:
    row = LearnedInfo.objects.filter(owner=owner).first()
    return row.items if row else []


def answer(scaffold: object = None, narrative: object = "Alice.", facts=(), retire=()) -> dict:
    return {
        "updated_scaffold": {} if scaffold is None else scaffold,
        "updated_working_memory": narrative,
        "facts_to_embed": list(facts),
        "retire": list(retire),
    }


def change(op: str, path: str, value: object = None, *events: ContextEvent, **more) -> dict:
    """Return a change that stands on observations."""
    refs = [ref_of(event.pk) for event in events]
    return {"op": op, "path": path, "value": value, "refs": refs, **more}


def told(text: str, *refs: ContextEvent | str) -> dict:
    """Return a sentence of the narrative that stands on observations, or on old sentences."""
    return {"text": text, "refs": [ref if isinstance(ref, str) else ref_of(ref.pk) for ref in refs]}


class Model:
    """Answers what was put before it, in order; then by the rules. Remembers what it was asked."""

    name, model = "openai", "scripted"

    def __init__(self, *answers: Answers, model: str = "scripted") -> None:
        self.answers, self.model = list(answers), model
        self.asked: list[Task] = []
        self.in_a_transaction = 0

    def complete(self, task, *, seconds=None):
        assert task.purpose is Purpose.PROFILE
        self.in_a_transaction += connection.in_atomic_block
        self.asked.append(task)
        said = self.answers.pop(0) if self.answers else None
        if isinstance(said, BaseException):
            raise said
        if callable(said):
            said = said()
        if said is None:
            return OfflineChat().complete(task)
        return Completion(task.answer.model_validate(said), self.model, 30, 12)
