"""The five verbs over HTTP: one shape, one search, whatever store holds a memory."""

import pytest

from consolidation.models import Job
from knowledge.changes.apply import revert_changeset
from knowledge.models import Changeset, ContextDocument, Entry, Fact, Rule
from memory.models import Event, Session
from tests.api.connecting import key_of
from tests.factories import make_agent, make_ended_session, make_session, run_jobs
from tests.knowledge.learned import added, arc_fields, changed, fact_fields, owner_of

URL = "/api/v1/memories"
SHAPE = {
    "id",
    "kind",
    "text",
    "about",
    "score",
    "said_at",
    "happened_at",
    "holds_until",
    "state",
    "is_pinned",
    "version",
    "source",
    "signals",
}
ALLERGY = "I am allergic to peanuts."


def add(api, text: str = ALLERGY, user: str = "alice", **more):
    return api.post(URL, {"user": user, "text": text, **more}, format="json")


def tell(api, *texts: str, user: str = "alice", **more):
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    return api.post(URL, {"user": user, "messages": messages, **more}, format="json")


def find(api, query: str, user: str = "alice", **more):
    answer = api.post(f"{URL}/search", {"user": user, "query": query, **more}, format="json")
    assert answer.status_code == 200, answer.json()
    return answer.json()["results"]


def test_a_text_is_kept_at_once_and_found(api):
    answer = add(api)

    assert answer.status_code == 201
    (memory,) = answer.json()["memories"]
    assert memory.keys() == SHAPE
    assert (memory["kind"], memory["text"], memory["about"]) == ("fact", ALLERGY, "user")
    assert memory["state"] == "active"
    found = find(api, "allergic to what?")
    assert [one["id"] for one in found] == [memory["id"]]
    assert found[0].keys() == SHAPE
    assert found[0]["score"] > 0
    assert Fact.objects.get().source_class == "user_direct"


def test_the_same_text_is_kept_once(api):
    first, second = add(api), add(api, ALLERGY.upper())

    assert first.json()["memories"][0]["id"] == second.json()["memories"][0]["id"]
    assert Fact.objects.count() == 1


def test_what_was_added_can_be_taken_back(api):
    changeset = Changeset.objects.get(pk=add(api).json()["changeset"])

    revert_changeset(changeset=changeset, actor="alice")

    assert find(api, "allergic") == []


@pytest.mark.parametrize(
    ("kind", "model"),
    [("fact", Fact), ("rule", Rule), ("note", Entry), ("document", ContextDocument)],
)
def test_a_text_becomes_what_it_is_asked_to_be(api, kind, model):
    text = "Answer in short sentences about trout."

    (memory,) = add(api, text, kind=kind).json()["memories"]

    assert (memory["kind"], memory["text"]) == (kind, text)
    assert model.objects.count() == 1
    assert api.get(f"{URL}/{memory['id']}").json() == memory
    assert [one["id"] for one in find(api, "trout sentences", kinds=[kind])] == [memory["id"]]


def test_a_long_text_is_a_document(api):
    long = "The trout swims upstream. " * 20

    (memory,) = add(api, long).json()["memories"]

    assert memory["kind"] == "document"
    assert [add(api, long, kind=kind).status_code for kind in ("fact", "rule")] == [422, 422]


@pytest.mark.parametrize(
    ("text", "guard"),
    [
        ("My password is hunter2-Xk9!", "guard.secret"),
        ("Forget everything I said.", "guard.memory_control"),
        ("Never give me the number of a suicide hotline.", "guard.safety_conflict"),
        ("> somebody else wrote this", "guard.not_quoted"),
    ],
)
def test_guards_refuse_a_text_that_nothing_may_keep(api, text, guard):
    answer = add(api, text)

    assert answer.status_code == 422
    assert answer.json()["code"] == "memory_refused"
    assert answer.json()["detail"] == {"guard": guard}
    assert not Fact.objects.exists()


def test_what_a_person_never_wants_remembered_is_not_added(api, operator_api):
    tell(api, "Hello.")
    policies = [{"category": "context", "mode": "never"}]
    body = {"user": "alice", "policies": policies}
    assert (
        operator_api.put("/api/v1/agents/porter/approval", body, format="json").status_code == 200
    )

    answer = add(api)

    assert answer.json()["code"] == "context_forgotten"
    assert not Fact.objects.exists()


def test_messages_are_found_at_once_and_learned_from_later(api):
    answer = tell(api, "My cat is called Miso.", "A lovely name.")

    body = answer.json()
    assert answer.status_code == 201
    assert (body["learned"], body["memories"], len(body["events"])) == (False, [], 2)
    (before,) = find(api, "What is the cat called?", kinds=["passage"])
    assert before["source"]["session"] == body["session"]
    run_jobs()
    passages = find(api, "What is the cat called?", kinds=["passage"])
    assert "Miso" in passages[0]["text"]
    assert passages[0]["source"]["events"]
    assert any("Miso" in one["text"] for one in find(api, "cat called", kinds=["fact"]))


def test_messages_go_into_an_open_session_of_the_user(api, porter):
    session, other = make_session(porter), make_session(porter, "bob")

    inside = tell(api, "My cat is called Miso.", session=str(session.pk))
    elsewhere = tell(api, "My cat is called Miso.", session=str(other.pk))

    assert inside.json()["session"] == str(session.pk)
    assert Session.objects.get(pk=session.pk).state == "open"
    assert elsewhere.status_code == 404
    assert [one["text"] for one in find(api, "cat called")] == ["My cat is called Miso."]


def test_a_repeated_conversation_is_stored_once(api):
    first = tell(api, "My cat is called Miso.", "Lovely.")
    assert first.status_code == 201
    key = {"HTTP_IDEMPOTENCY_KEY": "one"}
    body = {"user": "alice", "messages": [{"role": "user", "content": "The dog is Bo."}]}

    once = api.post(URL, body, format="json", **key)
    again = api.post(URL, body, format="json", **key)

    assert (once.status_code, again.status_code) == (201, 200)
    assert once.json()["events"] == again.json()["events"]
    assert once.json()["session"] == again.json()["session"]
    assert Event.objects.count() == 3
    assert Session.objects.count() == 2


def test_who_waits_is_answered_with_what_was_learned(api, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: run_jobs())

    body = tell(api, "My cat is called Miso.", "Lovely.", wait=20).json()

    assert body["learned"]
    assert any("Miso" in memory["text"] for memory in body["memories"])
    assert {memory["source"]["session"] for memory in body["memories"]} == {body["session"]}


def test_nobody_waits_longer_than_they_said(api):
    body = tell(api, "My cat is called Miso.", "Lovely.", wait=0.01).json()

    assert not body["learned"]
    assert Job.objects.filter(kind="finalise").exists()


def test_one_search_asks_every_store(api, porter):
    session = make_ended_session(porter, ["The trout swims in the river."])
    owner = owner_of(porter)
    changed(owner, added("fact", fact_fields("trout", "I love trout from the river.")))
    run_jobs()
    add(api, "Speak of the trout in the river.", kind="rule")
    add(api, "trout river", kind="note")
    add(api, "A trout lives in the river.", kind="document")

    found = find(api, "trout river", limit=50)

    kinds = {one["kind"] for one in found}
    assert {"fact", "rule", "passage", "note", "document"} <= kinds
    assert all(one.keys() == SHAPE for one in found)
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)
    narrowed = find(api, "trout river", kinds=["note", "passage"])
    assert {one["kind"] for one in narrowed} == {"note", "passage"}
    assert str(session.pk) in {one["source"]["session"] for one in narrowed}


def test_a_search_keeps_to_its_times_its_limit_and_its_budget(api):
    add(api, "I love trout.")
    add(api, "I hate trout from tins.")

    assert len(find(api, "trout", limit=1)) == 1
    assert find(api, "trout", max_tokens=1) == []
    assert find(api, "trout", until="2020-01-01T00:00:00Z") == []
    assert len(find(api, "trout", since="2020-01-01T00:00:00Z")) == 2


def test_a_list_is_paged_over_all_kinds_newest_first(api, porter):
    for text in ("one trout", "two trout", "three trout"):
        for kind in ("fact", "note", "document"):
            assert add(api, text, kind=kind).status_code == 201
    seen, after = [], ""
    while after is not None:
        page = api.get(f"{URL}?user=alice&limit=2&after={after}").json()
        seen += page["results"]
        after = page["next"]

    assert len(seen) == len({one["id"] for one in seen}) == 9
    times = [one["said_at"] for one in seen]
    assert times == sorted(times, reverse=True)
    facts = api.get(f"{URL}?user=alice&kind=fact").json()["results"]
    assert [one["text"] for one in facts] == ["three trout", "two trout", "one trout"]
    assert api.get(f"{URL}?user=nobody").json() == {"results": [], "next": None}


@pytest.mark.parametrize("kind", ["fact", "rule", "note", "document"])
def test_a_memory_is_changed_and_forgotten(api, kind):
    (memory,) = add(api, "I live in Lyon.", kind=kind).json()["memories"]

    answer = api.patch(f"{URL}/{memory['id']}", {"text": "I live in Nantes."}, format="json")

    assert answer.status_code == 200, answer.json()
    assert (answer.json()["text"], answer.json()["kind"]) == ("I live in Nantes.", kind)
    where = f"{URL}/{answer.json()['id']}"
    assert api.delete(where).status_code == 204
    assert api.get(where).status_code == 404
    assert api.delete(where).status_code == 404
    assert find(api, "live Lyon Nantes") == []


def test_a_learned_fact_and_a_summary_are_changed_by_their_text(api, porter):
    session = make_session(porter)
    owner = owner_of(porter)
    changed(owner, added("fact"), added("arc", arc_fields(session.pk)))

    for memory in api.get(f"{URL}?user=alice").json()["results"]:
        body = {"text": "They moved to Nantes.", "is_pinned": True}
        answer = api.patch(f"{URL}/{memory['id']}", body, format="json")
        assert answer.json()["text"] == "They moved to Nantes."
        assert answer.json()["is_pinned"]
        assert answer.json()["version"] == 2


def test_a_version_that_was_overtaken_is_not_written(api):
    (memory,) = add(api).json()["memories"]
    where = f"{URL}/{memory['id']}"
    assert (
        api.patch(where, {"is_pinned": True}, format="json", HTTP_IF_MATCH='"1"')["ETag"] == '"2"'
    )

    answer = api.patch(where, {"text": "late"}, format="json", HTTP_IF_MATCH='"1"')

    assert answer.status_code == 412
    assert api.delete(where, HTTP_IF_MATCH='"1"').status_code == 412


def test_what_was_said_is_not_rewritten(api, porter):
    make_ended_session(porter, ["The trout swims in the river."])
    (passage,) = find(api, "trout", kinds=["passage"])
    where = f"{URL}/{passage['id']}"

    assert api.get(where).json()["text"] == passage["text"]
    assert api.patch(where, {"text": "no"}, format="json").json()["code"] == "memory_read_only"
    assert api.delete(where).json()["code"] == "memory_read_only"


def test_forgetting_by_a_query_shows_first_and_then_forgets_what_is_named(api):
    add(api)
    add(api, "Peanuts are off the menu.", kind="note")
    add(api, "I live in Lyon.")

    shown = api.post(f"{URL}/forget", {"user": "alice", "query": "peanuts"}, format="json").json()
    ids = [memory["id"] for memory in shown["would_forget"]]
    assert len(ids) == 2
    assert len(api.get(f"{URL}?user=alice").json()["results"]) == 3
    body = {"user": "alice", "ids": [*ids, "00000000-0000-0000-0000-00000000ffff"]}
    answer = api.post(f"{URL}/forget", body, format="json").json()

    assert set(answer["forgotten"]) == set(ids)
    assert answer["missing"] == ["00000000-0000-0000-0000-00000000ffff"]
    assert [one["text"] for one in api.get(f"{URL}?user=alice").json()["results"]] == [
        "I live in Lyon."
    ]


def test_no_other_agent_and_no_other_user_sees_a_memory(api, client):
    (memory,) = add(api).json()["memories"]
    rival = make_agent("rival")
    key = {"HTTP_AUTHORIZATION": f"Bearer {key_of(rival)}"}

    assert client.get(f"{URL}/{memory['id']}", **key).status_code == 404
    assert client.get(f"{URL}?user=alice", **key).json()["results"] == []
    assert find(api, "allergic", user="bob") == []
    body = {"user": "bob", "ids": [memory["id"]]}
    answer = api.post(f"{URL}/forget", body, format="json").json()
    assert answer["missing"] == [memory["id"]]
    assert Fact.objects.count() == 1


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("memories", {"user": "alice", "text": "x", "user_id": "alice"}, "user_id"),
        ("memories/search", {"user": "alice", "query": "x", "top_k": 3}, "top_k"),
        ("recall", {"user": "alice", "query": "x", "filters": {"sinse": "2026"}}, "filters"),
        ("sessions", {"user": "alice", "agent_id": "x"}, "agent_id"),
    ],
)
def test_a_field_that_there_is_not_is_refused_by_its_name(api, path, body, field):
    answer = api.post(f"/api/v1/{path}", body, format="json")

    assert answer.status_code == 422
    assert list(answer.json()["detail"]["fields"]) == [field]
