"""What a person may demand, over the API."""

import json

import pytest

from accounts.ids import new_id
from audit.models import AuditEntry
from consolidation.deletion.erasure.certificate import is_genuine
from consolidation.models import Erasure
from knowledge.models import Fact
from tests.conftest import client_of
from tests.consolidation.deletion.erasure.conftest import CANARY, fill_person
from tests.factories import make_agent, make_session, run_jobs

ERASE = "/api/v1/users/alice/erase"
EXPORT = "/api/v1/users/alice/export"
LINK = "/api/v1/users/alice/page-link"


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"


def read(answer) -> bytes:
    return b"".join(answer.streaming_content)


def test_a_preview_counts_and_deletes_nothing(api, porter):
    fill_person(porter)

    found = api.post(ERASE, {}, format="json")

    assert found.status_code == 200
    assert found.json()["would_erase"]["knowledge.Fact"] == 1
    assert Fact.objects.count() == 1
    assert not Erasure.objects.exists()


@pytest.mark.parametrize("confirm", ["", "Alice", "alice "])
def test_it_asks_for_the_name_as_it_is(api, porter, confirm):
    fill_person(porter)

    answer = api.post(ERASE, {"dry_run": False, "confirm": confirm + "!"}, format="json")

    assert (answer.status_code, answer.json()["code"]) == (422, "erasure_unconfirmed")
    assert not Erasure.objects.exists()


def test_it_is_begun_and_followed_to_its_certificate(api, porter):
    fill_person(porter)

    begun = api.post(ERASE, {"dry_run": False, "confirm": "alice"}, format="json")
    assert begun.status_code == 202
    where = f"/api/v1/erasures/{begun.json()['id']}"
    assert api.get(where).json()["progress"] == 0
    late = api.post("/api/v1/sessions", {"user": "alice"}, format="json")
    assert (late.status_code, late.json()["code"]) == (409, "erasure_under_way")
    run_jobs()

    done = api.get(where).json()
    assert (done["state"], done["progress"]) == ("done", 1)
    assert is_genuine(done["certificate"])
    assert api.post(ERASE, {}, format="json").status_code == 404
    assert api.post("/api/v1/sessions", {"user": "alice"}, format="json").status_code == 201


def test_no_other_agent_sees_the_erasure(api, rival_api, porter):
    fill_person(porter)
    begun = api.post(ERASE, {"dry_run": False, "confirm": "alice"}, format="json").json()
    where = f"/api/v1/erasures/{begun['id']}"

    assert rival_api.get(where).status_code == 404
    assert client_of(make_agent("clerk")).get(where).status_code == 404
    assert api.get(f"/api/v1/erasures/{new_id()}").status_code == 404


@pytest.mark.parametrize(("method", "url"), [("post", ERASE), ("get", EXPORT), ("post", LINK)])
def test_a_user_nobody_met_is_unknown_and_so_is_another_agent_s(
    api, rival_api, porter, method, url
):
    make_session(porter)

    assert getattr(rival_api, method)(url).json()["code"] == "user_unknown"
    assert getattr(api, method)(url.replace("alice", "bob")).json()["code"] == "user_unknown"


def test_the_export_holds_every_word_and_no_other_person_s(api, porter):
    session = fill_person(porter)
    fill_person(porter, "bob")

    answer = api.get(EXPORT)
    found = json.loads(read(answer))

    assert (found["format"], found["version"], found["user"]) == ("recollect.person", 1, "alice")
    assert found["agents"] == {str(session.owner_id): "porter"}
    sections = found["sections"]
    for name in ("facts", "rules", "arcs", "entries", "saved_facts", "events", "receipts"):
        assert CANARY in json.dumps(sections[name]), name
    owners = {row.get("owner_id") for rows in sections.values() for row in rows}
    assert owners == {session.owner_id, None}
    assert "bob" not in json.dumps(found)
    assert AuditEntry.objects.filter(action="export", subject=str(session.owner_id)).exists()


@pytest.mark.parametrize("seconds", [0, -1, 604_801, "x", 1.5])
def test_a_link_lives_at_most_a_week(api, porter, seconds):
    make_session(porter)

    answer = api.post(LINK, {"expires_in_seconds": seconds}, format="json")

    assert answer.status_code == 422


def test_a_link_is_made_for_an_hour(api, porter):
    make_session(porter)

    answer = api.post(LINK, {}, format="json")

    assert answer.status_code == 201
    assert answer.json()["expires_in_seconds"] == 3_600
    assert "/enter/" in answer.json()["url"]
    assert AuditEntry.objects.filter(action="page_link.make").count() == 1


def test_no_link_is_made_for_staff(api, porter):
    person = make_session(porter).owner.user
    person.is_staff = True
    person.save()

    answer = api.post(LINK, {}, format="json")

    assert (answer.status_code, answer.json()["code"]) == (409, "page_link_refused")


def test_an_operator_s_key_is_no_way_to_a_person(operator_api, porter):
    make_session(porter)

    assert operator_api.post(LINK, {}, format="json").status_code == 403
