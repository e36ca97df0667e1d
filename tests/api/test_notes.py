import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.owners import agent_owner, resolve_owner
from audit.models import AuditEntry
from knowledge.models import Entry
from knowledge.notes.archives import write_archive

URL = "/api/v1/notes"
CAT = {"name": "cat", "content": "The cat Minka eats trout.", "aliases": ["Minka"]}


def add(api, **fields):
    return api.post(URL, CAT | fields, format="json")


def search(api, query: str, **fields) -> list[str]:
    answer = api.post(f"{URL}/search", {"query": query, **fields}, format="json")
    assert answer.status_code == 200, answer.json()
    return [one["name"] for one in answer.json()["results"]]


@pytest.mark.requirement("CT-08")
def test_a_note_is_added_and_read_by_name_or_alias(api):
    made = add(api)

    by_name, by_alias = api.get(f"{URL}/cat"), api.get(f"{URL}/Minka")

    assert (made.status_code, by_name.status_code) == (201, 200)
    assert made.json() == by_name.json() == by_alias.json()
    assert made.json() | CAT | {"number": 1, "kind": "note", "version": 2} == made.json()
    assert by_name["ETag"] == '"2"'


@pytest.mark.requirement("CT-10")
def test_a_taken_name_is_refused_and_nothing_of_the_note_is_kept(api):
    add(api)

    for fields in ({}, {"name": "dog"}, {"name": "Minka"}):
        answer = add(api, **fields)
        assert (answer.status_code, answer.json()["code"]) == (409, "already_exists")
    assert Entry.objects.count() == 1


def test_a_repetition_adds_nothing(api):
    first, again, other = (
        api.post(URL, body, format="json", HTTP_IDEMPOTENCY_KEY="a")
        for body in (CAT, CAT, CAT | {"content": "x"})
    )

    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 422)
    assert again.json() == first.json()


@pytest.mark.requirement("CT-40")
def test_put_writes_or_adds(api):
    made = api.put(f"{URL}/a b", {"content": ""}, format="json")
    put = api.put(f"{URL}/a b", {"content": "full"}, format="json")

    assert (made.status_code, put.status_code) == (201, 200)
    assert (made.json()["content"], put.json()["content"]) == ("", "full")
    assert made.json()["created_at"] == put.json()["created_at"]


@pytest.mark.requirement("CT-38")
def test_patch_renames_and_binds(api):
    add(api)

    answer = api.patch(f"{URL}/Minka", {"name": "pet", "alias": "tabby"}, format="json")

    assert answer.json()["name"] == "pet"
    assert answer.json()["aliases"] == ["cat", "Minka", "tabby"]
    assert api.get(f"{URL}/cat").json()["name"] == "pet"
    assert api.patch(f"{URL}/pet", {}, format="json").json()["version"] == answer.json()["version"]


def test_a_name_that_cannot_be_a_file_s_is_refused(api):
    add(api)

    for answer in (
        add(api, name=".hidden", aliases=[]),
        api.patch(f"{URL}/cat", {"name": "a/b"}, format="json"),
        api.patch(f"{URL}/cat", {"alias": "a..b"}, format="json"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_name")


@pytest.mark.requirement("CT-41")
@pytest.mark.requirement("CT-43")
def test_a_deleted_note_is_gone_under_every_name(api):
    add(api)

    assert api.delete(f"{URL}/Minka").status_code == 204

    for answer in (
        api.get(f"{URL}/cat"),
        api.delete(f"{URL}/cat"),
        api.patch(f"{URL}/cat", {"name": "x1"}, format="json"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert add(api).json()["number"] == 2


def test_a_version_that_is_not_the_last_is_refused(api):
    add(api, aliases=[])

    for call, body in ((api.put, {"content": "x"}), (api.patch, {"alias": "y1"}), (api.delete, {})):
        answer = call(f"{URL}/cat", body, format="json", HTTP_IF_MATCH='"7"')
        assert (answer.status_code, answer.json()["code"]) == (412, "entry_changed")
        assert answer.json()["detail"] == {"version": 1}
    none = api.put(f"{URL}/cat", {"content": "x"}, format="json", HTTP_IF_MATCH='"0"')
    last = api.put(f"{URL}/cat", {"content": "x"}, format="json", HTTP_IF_MATCH='"1"')
    assert (none.status_code, last.status_code) == (412, 200)


@pytest.mark.requirement("CT-13")
@pytest.mark.requirement("CT-20")
def test_one_search_finds_notes_and_archives(api, porter):
    alice = resolve_owner(agent=porter, user="alice")
    write_archive(owner=alice, session_name="trip", content="They ate trout, trout again.")
    add(api, user="alice")

    assert search(api, "trout", user="alice") == ["trip-1", "cat"]
    assert search(api, "trout", user="alice", kind="note") == ["cat"]
    assert search(api, "trout", user="alice", limit=1) == ["trip-1"]
    assert search(api, "Minka", user="alice") == ["cat"]
    assert api.get(f"{URL}/trip-1?user=alice").json()["kind"] == "archive"


def test_the_best_five_are_found_unless_told(api):
    for number in range(7):
        add(api, name=f"n{number}", aliases=[])

    assert search(api, "trout") == ["n0", "n1", "n2", "n3", "n4"]


@pytest.mark.requirement("CT-44")
def test_an_archive_is_read_and_not_written(api, porter):
    write_archive(owner=agent_owner(porter), session_name="trip", content="They went.")

    for answer in (
        api.put(f"{URL}/trip-1", {"content": "x"}, format="json"),
        api.patch(f"{URL}/trip-1", {"name": "x1"}, format="json"),
        api.delete(f"{URL}/trip-1"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "archive_read_only")
    assert api.get(f"{URL}/trip-1").json()["content"] == "They went."


def test_every_owner_and_agent_sees_its_own_alone(api, rival_api):
    add(api)
    add(api, user="alice", content="Alice's cat.")

    assert api.get(f"{URL}/cat").json()["content"] == CAT["content"]
    assert api.get(f"{URL}/cat?user=alice").json()["content"] == "Alice's cat."
    assert api.get(f"{URL}/cat?user=bob").status_code == 404
    for query in ("", "?user=alice"):
        assert rival_api.get(f"{URL}/cat{query}").status_code == 404
        assert rival_api.get(f"{URL}{query}").json()["results"] == []
    assert search(rival_api, "cat") == []
    assert search(rival_api, "cat", user="alice") == []


def test_a_list_is_paged_newest_first_without_contents(api, porter):
    write_archive(owner=agent_owner(porter), session_name="trip", content="They went.")
    for number in range(3):
        add(api, name=f"n{number}", aliases=[f"also {number}"])

    first = api.get(f"{URL}?limit=2").json()
    rest = api.get(f"{URL}?limit=2&after={first['next']}").json()

    assert [one["name"] for one in first["results"] + rest["results"]] == [
        "n2",
        "n1",
        "n0",
        "trip-1",
    ]
    assert (first["results"][0]["aliases"], rest["next"]) == (["also 2"], None)
    assert "content" not in first["results"][0]
    assert len(api.get(f"{URL}?kind=archive").json()["results"]) == 1
    assert api.get(f"{URL}?after=x").status_code == 422


def test_list_and_search_ask_no_more_questions_for_more_notes(api):
    counts = []
    for number in range(4):
        add(api, name=f"n{number}", aliases=[f"also {number}"])
        with CaptureQueriesContext(connection) as queries:
            api.get(URL)
            search(api, "trout")
        counts.append(sum("knowledge_" in one["sql"] for one in queries))

    assert len(set(counts)) == 1


def test_a_note_may_be_called_search(api):
    api.put(f"{URL}/search", {"content": "how to"}, format="json")

    assert api.get(f"{URL}/search").json()["content"] == "how to"
    assert search(api, "search") == ["search"]


def test_every_write_is_recorded_without_a_word_of_it(api):
    add(api)
    api.put(f"{URL}/cat", {"content": "x"}, format="json")
    api.put(f"{URL}/cat", {"content": "x"}, format="json")
    api.patch(f"{URL}/cat", {"name": "pet"}, format="json")
    api.delete(f"{URL}/pet")

    entries = AuditEntry.objects.filter(action__startswith="note.").order_by("pk")
    actions = ["note.add", "note.alias", "note.write", "note.rename", "note.remove"]
    assert [entry.action for entry in entries] == actions
    assert "cat" not in str(list(entries.values())).lower()


def test_a_content_too_long_in_bytes_is_refused(api):
    answer = add(api, content="é" * 40_000)

    assert (answer.status_code, answer.json()["code"]) == (422, "content_unfit")
