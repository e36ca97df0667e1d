import pytest
from rest_framework.test import APIClient

from accounts.keys import issue_key
from accounts.models import Owner
from consolidation.deletion.erasure.request import erase_owner
from consolidation.models import Job
from consolidation.profile.request import request_synthesis
from tests.factories import make_ended_session, make_session

URL = "/api/v1/jobs"


@pytest.fixture
def session(porter):
    return make_session(porter)


def make_job(session, turn=0, **fields) -> Job:
    named = {"key": f"{session.pk}:{turn}", "subject": f"learn:{session.pk}"}
    return Job.objects.create(**{"kind": "learn", "max_attempts": 3} | named | fields)


def kinds(client, state: str = "open") -> set[str]:
    return {job["kind"] for job in client.get(URL, {"state": state}).json()["results"]}


def test_jobs_are_listed_by_state_in_pages(operator_api, session):
    for number in range(3):
        make_job(session, number)
    make_job(session, 3, state="dead", last_error_code="boom")

    first = operator_api.get(URL, {"limit": 2}).json()
    rest = operator_api.get(URL, {"limit": 2, "after": first["next"]}).json()
    dead = operator_api.get(URL, {"state": "dead"}).json()["results"]

    assert [len(first["results"]), len(rest["results"])] == [2, 1]
    assert [job["last_error_code"] for job in dead] == ["boom"]


def test_a_dead_job_is_retried_and_a_waiting_one_cancelled(operator_api, session):
    dead, waiting = make_job(session, state="dead"), make_job(session, 1)

    assert operator_api.post(f"{URL}/{dead.pk}/retry").json()["state"] == "due"
    assert operator_api.post(f"{URL}/{waiting.pk}/cancel").json()["state"] == "cancelled"
    again = operator_api.post(f"{URL}/{waiting.pk}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "job_not_in_state")


def test_only_an_operator_sees_jobs(api):
    assert api.get(URL).status_code == 403
    assert api.post(f"{URL}/1/retry").status_code == 403


@pytest.fixture
def elsewhere_api(rival):
    """Return a client with an operator's key of another organization."""
    issued = issue_key(organization=rival.organization, scopes=("operator",), actor="test")
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issued.text}")
    return client


def test_whose_a_job_is_its_subject_says(porter, operator_api, elsewhere_api):
    make_ended_session(porter, ["I live in Oslo."])
    owner = Owner.objects.get(agent=porter, kind="user")
    request_synthesis(owner.pk)
    erase_owner(owner=owner, actor="test")
    for kind, subject in (("embed", "embed:0"), ("sweep", ""), ("learn", "learn:x"), ("a", ":")):
        Job.objects.create(kind=kind, key="x", subject=subject, max_attempts=3)

    assert kinds(operator_api) == {"patterns", "synthesise", "erase"}
    assert {"finalise", "learn"} <= kinds(operator_api, "done")
    assert kinds(elsewhere_api) | kinds(elsewhere_api, "done") == set()


@pytest.mark.parametrize("subject", ["", "of another organization"])
def test_what_is_not_theirs_nobody_retries_or_cancels(
    session, elsewhere_api, operator_api, subject
):
    client = elsewhere_api if subject else operator_api
    changed = {} if subject else {"kind": "embed", "key": "0", "subject": "embed:0"}
    dead, waiting = make_job(session, state="dead", **changed), make_job(session, 1, **changed)

    answers = [
        client.post(f"{URL}/{dead.pk}/retry"),
        client.post(f"{URL}/{waiting.pk}/cancel"),
        client.post(f"{URL}/99/cancel"),
    ]

    assert {(one.status_code, one.json()["code"]) for one in answers} == {(404, "not_found")}
    assert set(Job.objects.values_list("state", flat=True)) == {"dead", "due"}
