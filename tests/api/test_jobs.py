from consolidation.models import Job

URL = "/api/v1/jobs"


def make_job(**fields) -> Job:
    return Job.objects.create(**{"kind": "embed", "key": "0", "max_attempts": 3} | fields)


def test_jobs_are_listed_by_state_in_pages(operator_api):
    for number in range(3):
        make_job(key=str(number))
    make_job(key="x", state="dead", last_error_code="boom")

    first = operator_api.get(URL, {"limit": 2}).json()
    rest = operator_api.get(URL, {"limit": 2, "after": first["next"]}).json()
    dead = operator_api.get(URL, {"state": "dead"}).json()["results"]

    assert [len(first["results"]), len(rest["results"])] == [2, 1]
    assert [job["last_error_code"] for job in dead] == ["boom"]


def test_a_dead_job_is_retried_and_a_waiting_one_cancelled(operator_api):
    dead, waiting = make_job(state="dead"), make_job(key="1")

    assert operator_api.post(f"{URL}/{dead.pk}/retry").json()["state"] == "due"
    assert operator_api.post(f"{URL}/{waiting.pk}/cancel").json()["state"] == "cancelled"
    again = operator_api.post(f"{URL}/{waiting.pk}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "job_not_in_state")


def test_only_an_operator_sees_jobs(api):
    assert api.get(URL).status_code == 403
    assert api.post(f"{URL}/1/retry").status_code == 403
