"""A user's documents over the API."""

import pytest

from accounts.models import Connection
from accounts.owners import find_owner, resolve_owner
from audit.models import AuditEntry
from knowledge.models import ContextDocument
from recall.models import Receipt
from tests.conftest import client_of
from tests.factories import make_agent, make_ended_session, make_session, run_jobs

URL = "/api/v1/context-documents"
SEATS = "Prefers window seats."
ID = "01a1fc16-b108-7283-92fb-dd5eeee93618"


def post(api, content=SEATS, user="alice", **fields):
    body = {"content": content, "context_type": "user_persistent", "source": "user_provided"}
    return api.post(URL, body | ({"user": user} if user else {}) | fields, format="json")


def search(api, query, user="alice", **fields):
    answer = api.post(f"{URL}/search", {"user": user, "query": query, **fields}, format="json")
    assert answer.status_code == 200, answer.data
    return answer.data


def listed(api, **fields):
    return api.get(URL, {"user": "alice", **fields}).data


@pytest.mark.requirement("TS-60")
def test_a_document_is_kept_once_and_found(api):
    first, again = post(api), post(api)
    run_jobs()

    assert (first.status_code, again.data) == (201, first.data)
    (found,) = search(api, SEATS)["results"]
    assert found["id"] == first.data["ids"][0]
    assert (found["content"], found["distance"]) == (SEATS, pytest.approx(0, abs=1e-3))
    assert found["metadata"]["context_type"] == "user_persistent"


@pytest.mark.requirement("TS-16", "TS-06")
def test_the_text_of_an_attachment_is_kept_in_passages(api):
    text = " ".join(f"Sentence {number} is about the lease of the flat." for number in range(60))
    links = {"message_id": "m-1", "attachment_id": "a-1", "filename": "lease.pdf"}
    what = {"context_type": "tool_attachment_content", "source": "tool_extracted_content"}

    ids = post(api, text, tool_id="mail", **links, **what).data["ids"]
    run_jobs()

    assert len(ids) > 2
    kept = " ".join(row["content"] for row in listed(api)["results"])
    assert sorted(kept.split()) == sorted(text.split())
    metadata = search(api, "Sentence 59", limit=1)["results"][0]["metadata"]
    assert {name: metadata[name] for name in links} == links


def test_a_text_that_is_no_attachment_is_kept_whole(api):
    text = "word " * 2_000

    assert len(post(api, text).data["ids"]) == 1


@pytest.mark.requirement("TS-51")
@pytest.mark.parametrize("method", ["post", "search", "get", "delete"])
def test_each_call_needs_a_user(api, method):
    calls = {
        "post": lambda: post(api, user=None),
        "search": lambda: api.post(f"{URL}/search", {"query": "x"}, format="json"),
        "get": lambda: api.get(URL),
        "delete": lambda: api.delete(f"{URL}/{ID}"),
    }

    answer = calls[method]()

    assert (answer.status_code, answer.data["code"]) == (422, "owner_required")


@pytest.mark.requirement("TS-51", "TS-57")
def test_no_user_and_no_agent_sees_what_is_anothers(api, porter, rival_api):
    (id,) = post(api).data["ids"]
    post(rival_api)
    others = [(api, "bob"), (rival_api, "alice"), (client_of(make_agent("baker")), "alice")]
    run_jobs()

    for client, user in others:
        assert id not in [hit["id"] for hit in search(client, SEATS, user)["results"]]
        assert id not in [row["id"] for row in client.get(URL, {"user": user}).data["results"]]
        assert client.delete(f"{URL}/{id}?user={user}").status_code == 404

    assert len(search(api, SEATS)["results"]) == 1


def test_a_session_stands_for_its_user(api, porter):
    session = str(make_session(porter).pk)

    post(api, user=None, session=session)

    assert [row["content"] for row in listed(api)["results"]] == [SEATS]


def test_a_list_goes_on_after_its_cursor(api):
    ids = sorted(str(post(api, f"seat {number}").data["ids"][0]) for number in range(3))

    first = listed(api, limit=2)
    rest = listed(api, limit=2, after=str(first["next"]))

    assert [str(row["id"]) for row in (*first["results"], *rest["results"])] == ids
    assert rest["next"] is None


def test_a_list_keeps_to_one_context_type(api):
    post(api)
    post(api, "A tool.", context_type="tool_entity")

    assert [row["content"] for row in listed(api, context_type="tool_entity")["results"]] == [
        "A tool."
    ]


@pytest.mark.requirement("TS-58")
def test_a_search_keeps_to_some_context_types(api):
    post(api)
    post(api, "Window seats are scarce.", context_type="tool_entity")

    found = search(api, "window seats", context_types=["tool_entity"])

    assert [hit["content"] for hit in found["results"]] == ["Window seats are scarce."]


@pytest.mark.requirement("TS-54", "TS-59")
def test_a_search_keeps_to_the_active_connections(api, porter):
    owner = resolve_owner(agent=porter, user="alice")
    off = Connection.objects.create(owner=owner, tool="mail", is_active=False)
    post(api, connection=str(off.pk))

    assert search(api, "seats")["results"] == []
    assert search(api, "seats", active_connections=[])["results"] == []
    assert len(search(api, "seats", active_connections=[str(off.pk)])["results"]) == 1


def test_the_connection_of_another_user_is_unknown(api, porter):
    bob = resolve_owner(agent=porter, user="bob")
    theirs = Connection.objects.create(owner=bob, tool="mail")

    assert post(api, connection=str(theirs.pk)).status_code == 404
    assert not ContextDocument.objects.exists()


def test_a_user_whom_nobody_met_has_none(api, porter):
    assert search(api, "seats")["results"] == []
    assert listed(api)["results"] == []
    assert find_owner(agent=porter, user="alice") is None


@pytest.mark.parametrize(
    "fields",
    [{"context_type": "mood"}, {"source": "rumour"}, {"content": ""}, {"content": "x" * 70_000}],
)
def test_what_cannot_be_kept_is_refused(api, fields):
    assert post(api, **fields).status_code == 422


def test_what_is_deleted_is_gone_and_stays_so(api):
    (id,) = post(api).data["ids"]

    assert api.delete(f"{URL}/{id}?user=alice").status_code == 204

    assert post(api).data == {"ids": []}
    assert listed(api)["results"] == []
    assert AuditEntry.objects.filter(action="context.delete", subject=str(id)).exists()
    assert api.delete(f"{URL}/{id}?user=alice").status_code == 404


@pytest.mark.requirement("TS-06")
def test_a_recall_asks_this_store_too_and_its_receipt_names_it(api, porter):
    make_ended_session(porter, ["I like window seats."])
    (id,) = post(api).data["ids"]
    body = {"user": "alice", "query": "window seats", "stores": ["session", "context"]}

    answer = api.post("/api/v1/recall", body, format="json").data

    assert {hit["store"] for hit in answer["results"]} == {"session", "context"}
    items = Receipt.objects.get(pk=answer["receipt"]).items
    assert {item.get("store", "session"): item["id"] for item in items}["context"] == str(id)


def recalled(api, query="window seats", **fields):
    body = {"user": "alice", "query": query, "stores": ["context"], **fields}
    return api.post("/api/v1/recall", body, format="json").data


def test_a_recall_of_this_store_alone_shows_the_source(api):
    post(api, message_id="m-1")
    run_jobs()

    (hit,) = recalled(api, mode="semantic")["results"]

    assert (hit["text"], hit["has_vector"]) == (SEATS, True)
    assert hit["source"]["metadata"]["message_id"] == "m-1"


def test_a_filter_on_time_or_session_leaves_no_document(api):
    post(api)

    assert recalled(api, filters={"since": "2026-01-01T00:00:00Z"})["results"] == []


def test_a_phrase_is_found_word_for_word(api):
    post(api)
    post(api, "Seats by the window.")

    found = recalled(api, '"window seats"', mode="text")

    assert [hit["text"] for hit in found["results"]] == [SEATS]


def test_another_agent_never_recalls_them(api, porter):
    post(api)
    make_agent("baker")
    reader = client_of(make_agent("reader"))

    assert recalled(reader, target_agent="porter")["results"] == []


def test_a_document_is_put_in_other_words_and_a_newer_one_never_overwritten(api):
    (first,) = post(api).data["ids"]

    made = api.put(f"{URL}/{first}?user=alice", {"content": "Prefers the aisle."}, format="json")
    late = api.put(f"{URL}/{first}?user=alice", {"content": "x"}, format="json")
    other = api.put(f"{URL}/{first}?user=bob", {"content": "x"}, format="json")

    assert (made.status_code, late.status_code, other.status_code) == (200, 404, 404)
    (row,) = listed(api)["results"]
    assert (row["id"], row["content"]) == (made.data["id"], "Prefers the aisle.")
    assert AuditEntry.objects.filter(action="context.edit", subject=str(row["id"])).exists()
