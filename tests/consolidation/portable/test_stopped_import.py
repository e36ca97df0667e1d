import pytest

from consolidation.errors import ImportNotReady
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from consolidation.models import Job
from consolidation.models.priorities import Priority
from consolidation.portable.request import cancel_import, confirm_import, prepare_import
from knowledge.models import Fact
from memory.models import Session
from tests.consolidation.portable.test_import import alice, begun_anew, file_of  # noqa: F401 - a fixture
from tests.factories import WHEN, run_jobs


def test_one_that_is_stopped_ends_and_keeps_what_is_in(alice, monkeypatch, failpoints):  # noqa: F811
    monkeypatch.setattr("consolidation.portable.request.AT_ONCE", 1)
    anew = begun_anew(alice)
    made, _ = prepare_import(owner=anew, data=file_of(alice), actor="alice")
    begun = confirm_import(waiting=made, actor="alice")
    (failpoints / "import.before_learned").write_text("raise")
    run_jobs()

    stopped = cancel_import(begun=begun, actor="alice")
    Job.objects.update(not_before=WHEN, dispatched_at=None)
    run_jobs()

    stopped.refresh_from_db()
    assert (stopped.state, stopped.error_code, stopped.file) == ("failed", "import_cancelled", None)
    assert Session.objects.filter(owner=anew).count() == 2
    assert not Fact.objects.filter(owner=anew).exists()
    with pytest.raises(ImportNotReady):
        cancel_import(begun=begun, actor="alice")


def test_a_long_one_gives_way_to_a_person_who_waits(alice, monkeypatch):  # noqa: F811
    monkeypatch.setattr("consolidation.portable.request.AT_ONCE", 1)
    monkeypatch.setattr("consolidation.portable.request.ROUND_SECONDS", -1)
    anew = begun_anew(alice)
    made, _ = prepare_import(owner=anew, data=file_of(alice), actor="alice")
    confirm_import(waiting=made, actor="alice")
    other = queue.enqueue(kind="prune", key="x", priority=Priority.PERSON)

    run_job(Job.objects.get(kind="import").pk)
    assert Job.objects.get(kind="import").last_error_code == "gives_way"
    assert Session.objects.filter(owner=anew).count() == 1
    run_job(other)
    Job.objects.open().exclude(kind="import").update(state="cancelled")
    run_job(Job.objects.get(kind="import").pk)

    made.refresh_from_db()
    assert made.state == "done"
