from datetime import timedelta

import pytest
from django.utils import timezone

from consolidation import sweep
from consolidation.jobs import queue
from consolidation.jobs.provider_pauses import CODE, seconds_left
from consolidation.models import Job
from memory.models import Chunk
from providers.errors import ProviderUnavailable
from providers.hashing import HashingEmbedder
from tests.factories import make_ended_session, run_jobs

LONG_AGO = timezone.now() - timedelta(hours=1)
BUSY = ProviderUnavailable("429", retry_after=200.0, counts_as_attempt=False)
DOWN = ProviderUnavailable("down", retry_after=200.0)


class Provider(HashingEmbedder):
    """Answers as told, and counts how often it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.error: ProviderUnavailable | None = None

    def embed(self, texts, *, seconds=None):
        self.asked += 1
        if self.error:
            raise self.error
        return super().embed(texts, seconds=seconds)


@pytest.fixture
def provider(monkeypatch, settings) -> Provider:
    settings.WORKERS = 3  # two of them fill vectors
    found = Provider()
    monkeypatch.setattr("consolidation.embedding.fill.embedder", lambda: found)
    return found


def test_while_no_job_waits_for_it_there_is_no_rest(db):
    assert seconds_left() == 0


def test_the_rest_is_what_the_provider_asked_for(porter, provider):
    provider.error = BUSY

    make_ended_session(porter, ["My cat only eats trout."])

    assert 190 < seconds_left() <= 200
    assert provider.asked == 1


def test_no_worker_asks_before_it_is_over(porter, provider):
    provider.error = BUSY
    make_ended_session(porter, ["My cat only eats trout."])

    for user in ("bob", "charlie"):
        make_ended_session(porter, ["The sun shines."], user=user)
    sweep.run(queue.Attempt(0, "sweep", "periodic", "", 0, 0, 0))
    run_jobs()

    assert provider.asked == 1
    assert Chunk.objects.waiting_for_a_vector().count() == 3
    waiting = Job.objects.filter(kind="embed", state="due")
    assert {job.not_before > timezone.now() for job in waiting} == {True}
    assert 190 < seconds_left() <= 200


def test_a_job_of_another_part_keeps_it_without_losing_an_attempt(porter, provider):
    provider.error = BUSY
    for user in ("alice", "bob"):
        make_ended_session(porter, ["My cat only eats trout."], user=user)
    waiting = Job.objects.filter(kind="embed", state="due")
    other = waiting.exclude(last_error_code=CODE).first() or waiting.last()
    Job.objects.filter(pk=other.pk).update(not_before=LONG_AGO, last_error_code="")

    run_jobs()

    other.refresh_from_db()
    assert provider.asked == 1
    assert (other.state, other.attempts) == ("due", 0)
    assert other.not_before > timezone.now()


def test_after_the_rest_the_vectors_are_made(porter, provider):
    provider.error = BUSY
    make_ended_session(porter, ["My cat only eats trout."])
    provider.error = None

    Job.objects.filter(kind="embed").update(not_before=LONG_AGO)
    run_jobs()

    assert seconds_left() == 0
    assert not Chunk.objects.waiting_for_a_vector().exists()


def test_an_outage_is_no_rest(porter, provider):
    provider.error = DOWN

    make_ended_session(porter, ["My cat only eats trout."])

    assert seconds_left() == 0
