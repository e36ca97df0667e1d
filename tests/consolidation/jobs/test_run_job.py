from datetime import timedelta

import pytest
from django.utils import timezone

from consolidation import job_kinds as jobs
from consolidation import sweep
from consolidation.intake.accept import accept_events, end_session
from consolidation.jobs import queue, schedules
from consolidation.models import Job, WorkerHeartbeat
from knowledge.models import Pattern
from memory.models import (
    Chunk,
    Embedding,
    Event,
    OwnerIndex,
    Posting,
    Session,
    SessionStep,
    Term,
)
from memory.spaces import begin_space
from providers.errors import ProviderMisconfigured, ProviderRefused, ProviderUnavailable
from tests.factories import make_ended_session, make_session, run_jobs, said


def dump() -> list[list[tuple]]:
    """Return all that jobs write, without what tells one run from another."""
    return [
        sorted(Chunk.objects.values_list("number", "block", "text", "embedding_state")),
        sorted(Posting.objects.values_list("unit", "term", "document", "count")),
        sorted(Term.objects.values_list("unit", "term", "documents")),
        sorted(OwnerIndex.objects.values_list("chunks", "chunk_terms", "sessions")),
        sorted(Embedding.objects.values_list("document", "space")),
        sorted(Session.objects.values_list("state", "number")),
        sorted(SessionStep.objects.values_list("name", "state")),
        sorted(Event.objects.values_list("seq")),
        sorted(Pattern.objects.values_list("kind", "key", "sessions")),
        sorted(WorkerHeartbeat.objects.values_list("host")),
    ]


@pytest.mark.parametrize("kind", jobs.KINDS)
def test_every_kind_has_its_effect_once(porter, kind):
    session = make_ended_session(porter, ["one thing", "another thing"])
    space = begin_space(model="hashing", version="1", dimension=64)
    keys = {
        "finalise": str(session.pk),
        "embed": "0",
        "learn_session": f"{session.pk}:1:9",
        "reembed": str(space.pk),
        "patterns": str(session.owner_id),
    }
    jobs.run_job(queue.enqueue(kind=kind, key=keys.get(kind, "periodic")))
    before = dump()
    Job.objects.filter(kind=kind).delete()

    jobs.run_job(queue.enqueue(kind=kind, key=keys.get(kind, "periodic")))

    assert dump() == before


def test_a_job_that_is_not_due_is_left_alone(db):
    job = queue.enqueue(kind="heartbeat", key="1", delay_seconds=60)

    jobs.run_job(job)

    assert Job.objects.get().attempts == 0


def test_a_failure_stands_in_the_row_and_holds_no_words(porter, caplog):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("the secret trout")])
    end_session(session=session, reason="explicit")
    Event.objects.update(payload={"content": ["the secret trout"], "tool_calls": 7, "name": {}})
    Session.objects.update(number=None)
    Job.objects.update(kind="nonsense")

    run_jobs()

    job = Job.objects.get()
    assert (job.state, job.last_error_code) == ("due", "KeyError")
    assert "trout" not in caplog.text


class Failing:
    name = model = version = "failing"
    dimension, batch_size = 8, 32

    def __init__(self, error: Exception) -> None:
        self.error = error

    def embed(self, texts, *, seconds=None):
        raise self.error


@pytest.mark.parametrize(
    ("error", "attempts", "code"),
    [
        (ProviderUnavailable("down"), 1, "provider_unavailable"),
        (
            ProviderUnavailable("429", retry_after=9.0, counts_as_attempt=False),
            0,
            "provider_rate_limited",
        ),
        (ProviderRefused("401"), 0, "provider_refused"),
        (ProviderMisconfigured("no file"), 0, "provider_misconfigured"),
    ],
)
@pytest.mark.requirement("CH-82")
def test_without_a_provider_chunks_are_kept_and_found_by_words(
    porter, monkeypatch, error, attempts, code, caplog
):
    monkeypatch.setattr("consolidation.embedding.fill.embedder", lambda: Failing(error))

    session = make_ended_session(porter, ["My cat only eats trout."])

    job = Job.objects.get(kind="embed", state="due")
    assert (job.attempts, job.last_error_code) == (attempts, code)
    assert Chunk.objects.get().embedding_state == "pending"
    assert session.number is not None
    assert "without vectors" in caplog.text


class Poisoned(Failing):
    def __init__(self) -> None:
        super().__init__(ValueError())

    def embed(self, texts, *, seconds=None):
        return [None for _ in texts]


def test_a_text_that_gives_no_vector_is_left_to_the_words_after_three_tries(porter, monkeypatch):
    monkeypatch.setattr("consolidation.embedding.fill.embedder", Poisoned)
    monkeypatch.setattr("consolidation.embedding.fill.embedder_for", lambda space: Poisoned())

    session = make_ended_session(porter, ["My cat only eats trout."])

    assert Chunk.objects.get().embedding_state == "failed"
    assert session.state == "closed"


def test_the_sweep_makes_the_jobs_that_rows_ask_for(porter):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("one")])
    end_session(session=session, reason="explicit")
    Job.objects.all().delete()

    sweep.run(queue.Attempt(0, "sweep", "periodic", "", 0, 0, 0))
    run_jobs()

    session.refresh_from_db()
    assert session.state == "closed"


def test_the_sweep_shows_a_dead_end_in_its_session(porter):
    session = make_session(porter)
    end_session(session=session, reason="explicit")
    Job.objects.update(state="dead", last_error_code="boom")

    sweep.run(queue.Attempt(0, "sweep", "periodic", "", 0, 0, 0))

    failed = SessionStep.objects.get(state="failed")
    assert (failed.name, failed.error_code) == ("safe_point", "boom")


def test_the_sweep_tries_again_what_an_outage_killed_and_nothing_else(db):
    long_ago = timezone.now() - timedelta(minutes=31)
    for code in ("provider_unavailable", "boom"):
        job = queue.enqueue(kind="learn", key=code)
        Job.objects.filter(pk=job).update(
            state="dead", attempts=5, last_error_code=code, finished_at=long_ago
        )

    sweep.run(queue.Attempt(0, "sweep", "periodic", "", 0, 0, 0))

    states = dict(Job.objects.filter(kind="learn").values_list("key", "state"))
    assert states == {"provider_unavailable": "due", "boom": "dead"}


def test_an_empty_session_is_closed_without_a_chunk(porter):
    session = make_ended_session(porter, ["   "])

    sweep.run(queue.Attempt(0, "sweep", "periodic", "", 0, 0, 0))

    session.refresh_from_db()
    assert session.state == "closed"
    assert not Chunk.objects.exists()


def test_each_periodic_job_has_one_row_for_ever(db, monkeypatch):
    for _ in range(2):
        monkeypatch.setattr(schedules, "_ensured_at", [float("-inf")])
        schedules.ensure()
        run_jobs()

    kinds = Job.objects.filter(state="due").values_list("kind", flat=True)
    assert sorted(kinds) == sorted(schedules.PERIODIC)
    assert schedules.PERIODIC.keys() <= jobs.KINDS.keys()
