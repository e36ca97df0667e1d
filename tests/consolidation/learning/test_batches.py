import pytest

from consolidation.intake.accept import accept_transcript
from consolidation.jobs import queue
from consolidation.learning import batch
from consolidation.models import Job
from consolidation.models.priorities import Priority
from tests.factories import make_session, run_jobs, said

TURNS = [1, 3, 5, 7, 9]


@pytest.fixture
def imported(porter, monkeypatch):
    monkeypatch.setattr(batch, "MOST_MESSAGES", 2)
    session = make_session(porter)
    drafts = [
        one
        for n in range(len(TURNS))
        for one in (said(f"I live in house {n} of Lyon."), said("I see.", "assistant"))
    ]
    accept_transcript(agent=porter, session=session, drafts=drafts, is_import=True)
    return session


def learned(session) -> list[int]:
    done = session.learning_runs.filter(state="done")
    return sorted(set(done.values_list("turn", flat=True)))


def test_an_import_is_learned_from_in_batches_behind_what_is_live(imported):
    run_jobs(1)

    waiting = Job.objects.filter(kind="learn_session").order_by("pk")
    assert list(waiting.values_list("key", "priority")) == [
        (f"{imported.pk}:{span}", Priority.STUDY) for span in ("1-3", "5-7", "9")
    ]
    assert not Job.objects.filter(kind="learn").exists()


def test_all_of_it_is_learned_from_and_the_session_ends(imported):
    run_jobs()

    imported.refresh_from_db()
    assert (imported.state, imported.end_reason) == ("closed", "import")
    assert learned(imported) == TURNS
    assert not Job.objects.open().filter(kind="learn_session").exists()


def test_a_batch_gives_way_and_goes_on_where_it_stopped(imported, monkeypatch):
    monkeypatch.setattr(batch, "ROUND_SECONDS", -1)
    run_jobs(1)
    first = Job.objects.filter(kind="learn_session").order_by("pk").first()

    batch.run(queue.claim(first.pk))

    assert learned(imported) == [1]
    assert Job.objects.filter(kind="learn_session", key=first.key, state="due").exists()
    queue.finish(queue.Attempt(first.pk, first.kind, first.key, first.subject, 1, 1, 5))
    run_jobs()
    assert learned(imported) == TURNS
