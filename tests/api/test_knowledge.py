import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import AuditEntry
from knowledge.models import KnowledgeDocument

URL = "/api/v1/knowledge"
TRAINS = {"key": "trains", "content": "Trains leave at nine.", "metadata": {"from": "a sign"}}


def test_a_document_is_written_and_read_back(api):
    made = api.post(URL, TRAINS, format="json")

    read = api.get(f"{URL}/trains")

    assert (made.status_code, read.status_code) == (201, 200)
    assert read.json() == made.json()
    assert read.json() | TRAINS == read.json()
    assert read["ETag"] == '"1"'


@pytest.mark.requirement("CH-64")
def test_putting_a_key_again_replaces_the_content_and_keeps_the_rest(api):
    api.post(URL, TRAINS, format="json")

    answer = api.put(f"{URL}/trains", {"content": "Trains leave at ten."}, format="json")

    body = answer.json()
    assert (answer.status_code, body["version"]) == (200, 2)
    assert (body["content"], body["metadata"]) == ("Trains leave at ten.", TRAINS["metadata"])
    assert api.put(f"{URL}/a/b c", {"content": "x"}, format="json").status_code == 201
    assert api.get(f"{URL}/a/b%20c").json()["key"] == "a/b c"


def test_a_document_without_a_key_is_named_by_its_id(api):
    made = api.post(URL, {"content": "no key"}, format="json").json()

    assert made["key"] is None
    assert api.get(f"{URL}/{made['id']}").json()["content"] == "no key"
    assert api.delete(f"{URL}/{made['id']}").status_code == 204
    assert api.get(f"{URL}/{made['id']}").status_code == 404


def test_a_version_that_is_not_the_last_is_refused(api):
    api.post(URL, TRAINS, format="json")

    for header, status in (('"2"', 412), ("x", 422), ('"1"', 200)):
        answer = api.put(
            f"{URL}/trains",
            {"content": "Trains leave at ten."},
            format="json",
            HTTP_IF_MATCH=header,
        )
        assert answer.status_code == status
    late = api.delete(f"{URL}/trains", HTTP_IF_MATCH='"1"')
    assert (late.status_code, late.json()["code"]) == (412, "document_changed")
    assert late.json()["detail"] == {"version": 2}


def test_a_repetition_writes_nothing(api):
    first = api.post(URL, {"content": "no key"}, format="json", HTTP_IDEMPOTENCY_KEY="a")
    again = api.post(URL, {"content": "no key"}, format="json", HTTP_IDEMPOTENCY_KEY="a")
    other = api.post(URL, {"content": "another"}, format="json", HTTP_IDEMPOTENCY_KEY="a")

    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 422)
    assert again.json()["id"] == first.json()["id"]
    assert KnowledgeDocument.objects.count() == 1


def test_the_repetition_of_what_was_deleted_brings_nothing_back(api):
    first = api.post(URL, TRAINS, format="json", HTTP_IDEMPOTENCY_KEY="a")
    api.delete(f"{URL}/trains")

    again = api.post(URL, TRAINS, format="json", HTTP_IDEMPOTENCY_KEY="a")

    assert (first.status_code, again.status_code) == (201, 404)
    assert not KnowledgeDocument.objects.exists()


@pytest.mark.requirement("CH-63")
def test_an_agent_sees_and_changes_its_own_alone(api, rival_api):
    made = api.post(URL, TRAINS, format="json").json()

    for name in ("trains", made["id"]):
        assert rival_api.get(f"{URL}/{name}").status_code == 404
        assert rival_api.delete(f"{URL}/{name}").status_code == 404
    assert rival_api.get(URL).json()["results"] == []
    assert rival_api.put(f"{URL}/trains", {"content": "x"}, format="json").status_code == 201
    assert api.get(f"{URL}/trains").json()["content"] == TRAINS["content"]


def test_a_list_is_paged_newest_first_without_contents(api):
    for number in range(3):
        api.post(URL, {"key": f"k{number}", "content": "x"}, format="json")

    first = api.get(f"{URL}?limit=2").json()
    rest = api.get(f"{URL}?limit=2&after={first['next']}").json()

    assert [one["key"] for one in first["results"] + rest["results"]] == ["k2", "k1", "k0"]
    assert rest["next"] is None
    assert "content" not in first["results"][0]


def test_a_list_keeps_to_a_prefix_and_shows_contents_when_asked(api):
    for key in ("a/1", "a/2", "b%"):
        body = {"key": key, "content": f"of {key}", "metadata": {"n": 1}}
        api.post(URL, body, format="json")

    below = api.get(f"{URL}?prefix=a/&contents=yes").json()["results"]
    literal = api.get(f"{URL}?prefix=%25").json()["results"]

    assert [(one["key"], one["content"], one["metadata"]) for one in below] == [
        ("a/2", "of a/2", {"n": 1}),
        ("a/1", "of a/1", {"n": 1}),
    ]
    assert literal == []


def test_a_list_asks_the_database_once_however_long_it_is(api):
    counts = []
    for number in range(4):
        api.post(URL, {"content": f"x{number}"}, format="json")
        with CaptureQueriesContext(
            connection,
        ) as queries:
            api.get(URL)
        counts.append(len(queries))

    assert len(set(counts[1:])) == 1


def test_every_write_is_recorded_without_a_word_of_it(api):
    api.post(URL, TRAINS, format="json")
    api.delete(f"{URL}/trains")

    entries = AuditEntry.objects.filter(action__startswith="knowledge.").order_by("pk")
    assert [entry.action for entry in entries] == ["knowledge.put", "knowledge.delete"]
    assert "rains" not in str(list(entries.values()))


@pytest.mark.parametrize(
    "body", [{}, {"content": ""}, {"content": " "}, {"content": "x", "key": "\t"}, {"content": 7}]
)
def test_what_cannot_be_kept_is_refused(api, body):
    assert api.post(URL, body, format="json").status_code == 422
