from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit.models import AuditEntry
from consolidation.models import Job
from tests.inspector.console.rows import shown


def make_jobs(count: int) -> None:
    Job.objects.bulk_create(
        Job(kind="embed", key=f"many {n}", state="done", max_attempts=5) for n in range(count)
    )


def test_a_dead_job_is_retried_and_the_act_is_recorded(desk, dead):
    desk.post(reverse("console-job-retry", args=[dead.pk]))

    dead.refresh_from_db()
    assert dead.state == "due"
    assert AuditEntry.objects.get(action="job.retry").actor == "operator"


def test_a_due_job_is_cancelled_and_not_twice(desk, dead):
    Job.objects.update(state="due")

    for _ in range(2):
        answer = desk.post(reverse("console-job-cancel", args=[dead.pk]), follow=True)

    dead.refresh_from_db()
    assert dead.state == "cancelled"
    assert b"notice bad" in answer.content
    assert AuditEntry.objects.filter(action="job.cancel").count() == 1


def test_jobs_are_kept_by_state_and_kind(desk, dead):
    Job.objects.create(kind="sweep", key="2", max_attempts=5)

    assert "sweep" not in shown(desk, "console-jobs", state="dead").split("<tbody>")[1]
    assert "No job is like that" in shown(desk, "console-jobs", kind="learn")


def test_an_error_is_told_in_plain_words(desk, dead):
    assert "the model&#x27;s name or the rights are wrong" in shown(desk, "console-jobs")


def test_an_error_of_ours_is_left_to_the_log(desk, dead):
    Job.objects.update(last_error_code="KeyError")

    assert "the server&#x27;s log has the rest" in shown(desk, "console-jobs")


def test_a_long_list_is_read_page_by_page_and_never_counted(desk, db):
    make_jobs(30)
    with CaptureQueriesContext(connection) as few:
        first = desk.get(reverse("console-jobs"))
    make_jobs(500)

    with CaptureQueriesContext(connection) as many:
        desk.get(reverse("console-jobs"))
    rest = desk.get(reverse("console-jobs"), {"before": first.context["listed"].next})

    assert len(many) == len(few)
    assert not any("COUNT(" in one["sql"].upper() for one in many)
    assert [len(one.context["jobs"]) for one in (first, rest)] == [25, 5]


def test_a_place_that_is_none_is_the_beginning(desk, dead):
    assert len(desk.get(reverse("console-jobs"), {"before": "x"}).context["jobs"]) == 1
