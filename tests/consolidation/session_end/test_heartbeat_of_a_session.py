"""The heartbeat of a session fills what waits for a vector."""

import pytest

from consolidation.embedding.chunks import nudge
from consolidation.models import Job
from consolidation.session_end.snapshots import beat_session
from memory.models import Chunk
from tests.factories import make_ended_session, make_session, run_jobs


@pytest.mark.requirement("CH-80")
def test_a_tick_flushes_what_waits_for_a_vector(porter):
    make_ended_session(porter, ["My cat only eats trout."])
    Chunk.objects.update(embedding_state="pending")
    session = make_session(porter)

    beat_session(session=session)
    run_jobs()

    assert Chunk.objects.get().embedding_state == "done"


@pytest.mark.requirement("CH-80")
def test_a_full_batch_does_not_wait_for_a_tick(porter):
    make_ended_session(porter, [f"Line number {place}." for place in range(40)])

    assert {chunk.embedding_state for chunk in Chunk.objects.all()} == {"done"}


def test_a_tick_with_nothing_waiting_makes_no_job(porter):
    beat_session(session=make_session(porter))
    assert not Job.objects.filter(kind="embed").exists()
    nudge()
    assert Job.objects.filter(kind="embed").exists()
