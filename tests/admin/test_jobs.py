import pytest

from audit.models import AuditEntry
from consolidation.models import Job
from tests.admin.addresses import address


def act(client, name: str, job: Job) -> str:
    form = {"action": name, "_selected_action": [job.pk]}
    return client.post(address(Job, "changelist"), form, follow=True).content.decode()


def test_a_dead_job_is_retried_and_this_is_recorded(desk):
    job = Job.objects.create(kind="embed", key="1", max_attempts=3, state="dead", attempts=3)

    act(desk, "retry", job)

    job.refresh_from_db()
    assert (job.state, job.attempts) == ("due", 0)
    assert AuditEntry.objects.get().action == "job.retry"


def test_a_waiting_job_is_cancelled_and_this_is_recorded(desk):
    job = Job.objects.create(kind="embed", key="1", max_attempts=3)

    act(desk, "cancel", job)

    job.refresh_from_db()
    assert job.state == "cancelled"
    assert AuditEntry.objects.get().action == "job.cancel"


def test_a_job_that_is_done_is_left_alone_and_the_reason_shown(desk):
    job = Job.objects.create(kind="embed", key="1", max_attempts=3, state="done")

    page = act(desk, "cancel", job)

    assert f"Job {job.pk} is done" in page
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(("name", "state"), [("retry", "dead"), ("cancel", "due")])
def test_who_may_only_look_changes_nothing(client, watcher, name, state):
    job = Job.objects.create(kind="embed", key="1", max_attempts=3, state=state)
    client.force_login(watcher)

    act(client, name, job)

    job.refresh_from_db()
    assert job.state == state
