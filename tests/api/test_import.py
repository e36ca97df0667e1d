"""What was exported comes back over the API."""

import json

import pytest

from accounts.models import Owner
from consolidation.models import Import
from consolidation.portable.export import exported
from knowledge.models import Fact
from tests.consolidation.deletion.erasure.conftest import fill_person
from tests.factories import run_jobs

IMPORT = "/api/v1/import?user="


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
def file(porter) -> bytes:
    return b"".join(exported([fill_person(porter).owner]))


def given(api, where: str, file: bytes, kind: str = "application/json"):
    return api.generic("POST", where, file, content_type=kind)


def test_it_shows_first_what_would_come_and_makes_nobody_known(api, porter, file):
    answer = given(api, IMPORT + "carol&of=alice&dry_run=true", file)

    assert answer.status_code == 200, answer.json()
    assert answer.json()["would_import"]["facts"] == {"added": 1}
    assert answer.json()["left_out"]["receipts"] == 1
    assert answer.json()["vectors"]["tokens"] > 10
    assert not Owner.objects.filter(key="carol").exists()
    assert not Import.objects.filter(file__isnull=False).exists()


def test_it_is_taken_in_at_once_and_adds_nothing_again(api, porter, rival_api, file):
    first = given(api, IMPORT + "charlie&of=alice", file)
    again = given(api, IMPORT + "charlie&of=alice", file)

    assert (first.status_code, first.json()["state"]) == (200, "done"), first.json()
    assert first.json()["counts"]["facts"] == {"added": 1}
    assert again.json()["counts"]["facts"] == {"known": 1}
    assert Fact.objects.filter(owner__key="charlie").count() == 1
    where = f"/api/v1/imports/{first.json()['id']}"
    assert api.get(where).json()["progress"] == 1
    assert rival_api.get(where).status_code == 404


def test_a_long_one_goes_on_after_the_answer(api, file, monkeypatch):
    monkeypatch.setattr("consolidation.portable.request.AT_ONCE", 1)

    begun = given(api, IMPORT + "charlie&of=alice", file)
    assert (begun.status_code, begun.json()["state"]) == (202, "running")
    run_jobs()

    done = api.get(f"/api/v1/imports/{begun.json()['id']}").json()
    assert (done["state"], done["progress"]) == ("done", 1.0)


def test_what_cannot_be_taken_in_says_why(api, porter, file, monkeypatch):
    another = given(api, IMPORT + "bob", file)
    document = json.loads(file)
    document["sections"]["facts"][0]["created_at"] = "yesterday"
    unfit = given(api, IMPORT + "alice", json.dumps(document).encode())
    nobody = given(api, "/api/v1/import", file)
    monkeypatch.setattr("api.v1.imports.MOST_BYTES", 10)
    large = given(api, IMPORT + "alice", file)

    assert (another.status_code, another.json()["code"]) == (409, "import_of_another")
    assert (unfit.status_code, unfit.json()["code"]) == (422, "import_unfit")
    assert "yesterday" not in unfit.content.decode()
    assert (large.status_code, large.json()["code"]) == (413, "import_too_large")
    assert nobody.status_code == 422
    assert not Import.objects.filter(file__isnull=False).exists()
