"""The tools of an agent's model, over HTTP."""

import re
from dataclasses import replace

import pytest

from api.v1.tools.registry import TOOLS
from consolidation.intake.accept import accept_events
from knowledge.models import KnowledgeDocument
from memory.models import Event
from tests.factories import make_agent, make_ended_session, make_session, run_jobs, said

URL = "/api/v1/tools"
LEGAL = {
    ("working", "keyword"),
    ("working", "hash"),
    ("session", "semantic"),
    ("session", "text"),
    ("session", "session_detail"),
    ("knowledge", "semantic"),
    ("knowledge", "text"),
}
STORES = ("working", "session", "knowledge", "elsewhere")
MODES = ("keyword", "hash", "semantic", "text", "session_detail", "fuzzy", "")


def use(client, tool: str, arguments: dict | str, **call):
    return client.post(f"{URL}/{tool}", {"arguments": arguments, **call}, format="json")


def query(client, store: str, mode: str, session=None, **arguments):
    call = {"session": str(session.pk)} if session else {}
    return use(client, "choir.memory.query", {"store": store, "mode": mode, **arguments}, **call)


def upsert(client, op: str, **arguments):
    return use(client, "choir.memory.upsert", {"op": op, **arguments})


def texts(answer) -> list[str]:
    assert answer.status_code == 200, answer.json()
    return [result["text"] for result in answer.json()["results"]]


def events(answer) -> list[str]:
    assert answer.status_code == 200, answer.json()
    return [result["payload"]["content"] for result in answer.json()["results"]]


def test_they_are_listed_as_chat_apis_take_them(api):
    tools = api.get(URL).json()["tools"]

    names = [tool["function"]["name"] for tool in tools]
    assert names[:3] == ["choir_memory_query", "choir_memory_upsert", "choir_memory_compact"]
    assert names[3:6] == [
        "context_tool_record_observation",
        "context_tool_update_user_context",
        "context_tool_update_connection_context",
    ]
    assert {"remember", "recall", "forget"} < set(names)
    assert {"memory_search", "memory_save", "memory_recall"} <= set(names)
    assert all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) for name in names)
    assert {tool["type"] for tool in tools} == {"function"}
    assert all(tool["function"]["parameters"]["type"] == "object" for tool in tools)


def test_they_are_listed_for_mcp_by_their_own_names(api):
    tools = api.get(f"{URL}?format=mcp").json()["tools"]

    assert [tool["name"] for tool in tools] == [tool.function_name for tool in TOOLS]
    assert all(tool["inputSchema"]["type"] == "object" for tool in tools)
    assert api.get(f"{URL}?format=xml").status_code == 422


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_schema_names_the_arguments_that_are_checked(tool):
    named = set(tool.parameters["properties"]) | {"target_agent"}

    assert set(tool.arguments().fields) | {"target_agent"} == named
    assert set(tool.parameters["required"]) == {
        name for name, field in tool.arguments().fields.items() if field.required
    }


def test_a_tool_that_does_not_exist_is_not_found(api):
    assert use(api, "choir.memory.guess", {}).status_code == 404


@pytest.mark.requirement("CH-69")
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("mode", MODES)
def test_every_pair_is_legal_or_a_named_error(api, porter, store, mode):
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("one trout")])
    event = Event.objects.get()

    answer = query(
        api,
        store,
        mode or " ",
        session,
        query="trout",
        hash=event.reference,
        session_id=str(session.pk),
    )

    if (store, mode) in LEGAL:
        assert answer.status_code == 200
        assert "results" in answer.json()
    else:
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_mode")


@pytest.mark.requirement("CH-66")
def test_working_finds_keywords_in_this_session_alone(api, porter):
    session, other = make_session(porter), make_session(porter)
    drafts = [said("My cat eats trout."), said("Noted.", "assistant"), said("TROUT, for the CAT!")]
    accept_events(agent=porter, session=session, drafts=drafts)
    accept_events(agent=porter, session=other, drafts=[said("another cat, more trout")])

    found = query(api, "working", "keyword", session, query="cat trout")

    assert events(found) == ["TROUT, for the CAT!", "My cat eats trout."]
    assert events(query(api, "working", "keyword", session, query="content")) == []
    assert events(query(api, "working", "keyword", session, query="trout, for")) == [
        "TROUT, for the CAT!"
    ]
    assert events(query(api, "working", "keyword", session, query="cat", limit=1)) == [
        "TROUT, for the CAT!"
    ]
    assert events(query(api, "working", "keyword", session, query="  ")) == []


@pytest.mark.requirement("CH-66")
def test_working_finds_an_event_by_its_hash(api, porter):
    session, other = make_session(porter), make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("one"), said("two")])
    accept_events(agent=porter, session=other, drafts=[said("three")])
    two = Event.objects.get(payload__content="two")
    three = Event.objects.get(payload__content="three")

    assert events(query(api, "working", "hash", session, hash=two.reference)) == ["two"]
    for hash in (three.reference, "ev-" + "0" * 32, "ev-x", two.reference[:-1]):
        answer = query(api, "working", "hash", session, hash=hash)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.requirement("CH-08")
@pytest.mark.requirement("CH-66")
def test_working_is_the_calling_session_of_the_own_agent(api, rival_api, porter):
    session = make_session(porter)

    nowhere = query(api, "working", "keyword", query="x")
    theirs = query(rival_api, "working", "keyword", session, query="x")
    across = query(api, "working", "keyword", session, query="x", target_agent="rival")

    assert (nowhere.status_code, nowhere.json()["code"]) == (422, "session_id_required")
    assert (theirs.status_code, theirs.json()["code"]) == (404, "not_found")
    assert (across.status_code, across.json()["code"]) == (403, "forbidden")


@pytest.mark.requirement("CH-08")
def test_no_hash_and_no_word_reaches_another_session_s_log(api, porter):
    session, other = make_session(porter), make_session(porter)
    accept_events(agent=porter, session=other, drafts=[said("the secret trout")])

    by_word = query(api, "working", "keyword", session, query="secret")
    by_hash = query(api, "working", "hash", session, hash=Event.objects.get().reference)
    still_open = query(api, "session", "text", session, query="secret")

    assert events(by_word) == texts(still_open) == []
    assert by_hash.status_code == 404


@pytest.mark.requirement("CH-67")
@pytest.mark.parametrize("mode", ["semantic", "text"])
def test_session_finds_what_the_session_s_owner_said_before(api, porter, mode):
    make_ended_session(porter, ["My cat only eats trout."])
    make_ended_session(porter, ["My cat eats anything."], user="bob")
    session = make_session(porter)

    answer = query(api, "session", mode, session, query="cat")

    assert texts(answer) == ["My cat only eats trout."]
    assert answer.json()["receipt"]


def test_session_outside_a_session_asks_the_agent_s_own(api, porter):
    make_ended_session(porter, ["My cat only eats trout."])
    session = api.post("/api/v1/sessions", {"owner": "agent"}, format="json").json()["id"]
    body = {"messages": [{"role": "user", "content": "The cat of the house."}]}
    api.post(f"/api/v1/sessions/{session}/events", body, format="json")
    api.post(f"/api/v1/sessions/{session}/end", {}, format="json")
    run_jobs()

    assert texts(query(api, "session", "text", query="cat")) == ["The cat of the house."]


@pytest.mark.requirement("CH-61")
def test_session_detail_gives_every_event_of_the_session(api, porter):
    old = make_ended_session(porter, ["one", "two", "three"])
    session = make_session(porter)

    whole = query(api, "session", "session_detail", session, session_id=str(old.pk))
    first = query(api, "session", "session_detail", session, session_id=str(old.pk), limit=2)
    after = first.json()["next"]
    rest = query(api, "session", "session_detail", session, session_id=str(old.pk), after=after)

    assert (events(whole), whole.json()["next"]) == (["one", "two", "three"], None)
    assert events(first) + events(rest) == ["one", "two", "three"]


@pytest.mark.requirement("CH-61")
def test_session_detail_needs_the_id_of_a_session_of_the_same_person(api, porter, rival):
    alices, bobs = make_session(porter), make_session(porter, "bob")

    without = query(api, "session", "session_detail", alices)
    other = query(api, "session", "session_detail", alices, session_id=str(bobs.pk))
    alone = query(api, "session", "session_detail", session_id=str(alices.pk))

    assert (without.status_code, without.json()["code"]) == (422, "session_id_required")
    for answer in (other, alone):
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.requirement("CH-68")
@pytest.mark.parametrize("mode", ["semantic", "text"])
def test_knowledge_is_found(api, rival_api, mode):
    upsert(api, "insert", key="trains", content="Trains leave at nine.")
    upsert(rival_api, "insert", content="Trains of another house.")
    run_jobs()

    answer = query(api, "knowledge", mode, query="when do trains leave")

    assert texts(answer) == ["Trains leave at nine."]
    assert answer.json()["results"][0]["key"] == "trains"


@pytest.mark.parametrize(
    ("store", "mode", "missing"),
    [("working", "keyword", "query"), ("working", "hash", "hash"), ("knowledge", "text", "query")],
)
def test_a_mode_says_what_it_needs(api, porter, store, mode, missing):
    answer = query(api, store, mode, make_session(porter))

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert missing in answer.json()["detail"]["fields"]


@pytest.mark.requirement("CH-63")
@pytest.mark.requirement("CH-64")
def test_upsert_inserts_updates_and_deletes(api):
    made = upsert(api, "insert", key="trains", content="Trains leave at nine.").json()
    changed = upsert(api, "update", key="trains", content="Trains leave at ten.").json()
    again = upsert(api, "update", key="trains", content="Trains leave at ten.").json()
    new = upsert(api, "update", key="tea", content="Left cupboard.", metadata={"a": 1}).json()
    gone = upsert(api, "delete", key="trains").json()

    outcomes = [one["outcome"] for one in (made, changed, again, new, gone)]
    assert outcomes == ["inserted", "updated", "unchanged", "inserted", "deleted"]
    assert made["id"] == changed["id"] == gone["id"]
    assert KnowledgeDocument.objects.get().metadata == {"a": 1}


def test_upsert_deletes_by_id_what_has_no_key(api):
    made = upsert(api, "insert", content="no key").json()

    assert upsert(api, "delete", id=made["id"]).json()["outcome"] == "deleted"
    missing = upsert(api, "delete", id=made["id"])
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        ({"op": "update", "content": "x"}, 422, "document_unnamed"),
        ({"op": "delete"}, 422, "document_unnamed"),
        ({"op": "insert"}, 422, "invalid"),
        ({"op": "merge", "content": "x"}, 422, "invalid"),
        ({"op": "insert", "content": "x", "target_agent": "rival"}, 403, "forbidden"),
        ({"op": "delete", "key": "k", "target_agent": "nobody"}, 403, "forbidden"),
    ],
)
def test_upsert_refuses_by_name(api, arguments, status, code):
    answer = use(api, "choir.memory.upsert", arguments)

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not KnowledgeDocument.objects.exists()


@pytest.mark.requirement("CH-11")
def test_upsert_writes_no_other_agent_s_knowledge(api, rival_api, porter):
    make_agent("baker")
    theirs = upsert(rival_api, "insert", key="k", content="theirs").json()

    for arguments in (
        {"op": "insert", "content": "x", "target_agent": "baker"},
        {"op": "update", "key": "k", "content": "x", "target_agent": "rival"},
        {"op": "delete", "key": "k", "target_agent": "rival"},
    ):
        answer = use(api, "choir.memory.upsert", arguments)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert upsert(api, "delete", id=theirs["id"]).status_code == 404
    assert upsert(api, "update", key="k", content="ours").json()["outcome"] == "inserted"

    found = KnowledgeDocument.objects.get(pk=theirs["id"])
    assert (found.content, found.version) == ("theirs", 1)
    own = upsert(api, "update", key="k", content="still ours", target_agent="porter")
    assert own.json()["outcome"] == "updated"


@pytest.mark.requirement("CH-09")
def test_no_tool_writes_what_came_of_sessions(api, porter):
    session = make_ended_session(porter, ["My cat only eats trout."])
    before = list(session.chunks.values())

    upsert(api, "update", key=str(session.pk), content="overwritten", target_agent="porter")
    upsert(api, "delete", id=str(session.chunks.get().pk))

    assert list(session.chunks.values()) == before


def test_a_repeated_insert_is_one_document(api):
    for _ in range(2):
        answer = api.post(
            f"{URL}/choir_memory_upsert",
            {"arguments": {"op": "insert", "content": "x"}},
            format="json",
            HTTP_IDEMPOTENCY_KEY="a",
        )
        assert answer.status_code == 200

    assert KnowledgeDocument.objects.count() == 1


@pytest.mark.requirement("CH-44")
@pytest.mark.parametrize("lane", ["edge", "core"])
def test_compact_acts_on_the_calling_lane_only(api, porter, lane):
    session = make_session(porter)
    for each in ("edge", "core"):
        drafts = [replace(said(f"{each} {number}"), lane=each) for number in range(20)]
        accept_events(agent=porter, session=session, drafts=drafts)
    before = {window.lane: window.start_seq for window in session.windows.all()}

    first = use(api, "choir.memory.compact", {}, session=str(session.pk), lane=lane)
    again = use(api, "choir.memory.compact", {}, session=str(session.pk), lane=lane)
    run_jobs()

    after = {window.lane: window.start_seq for window in session.windows.all()}
    assert first.json() == {"outcome": "scheduled", "lane": lane}
    assert again.json()["outcome"] == "already_running"
    assert {each for each in after if after[each] != before[each]} == {lane}


def test_compact_says_when_there_is_nothing_or_no_session(api, porter):
    session = make_session(porter)

    nothing = use(api, "choir.memory.compact", {}, session=str(session.pk))
    nowhere = use(api, "choir.memory.compact", {})

    assert nothing.json()["outcome"] == "nothing_to_compact"
    assert (nowhere.status_code, nowhere.json()["code"]) == (422, "session_id_required")


def test_arguments_may_come_as_the_text_that_the_model_wrote(api):
    told = use(api, "choir_memory_upsert", '{"op": "insert", "key": "a", "content": "cats"}')
    broken = use(api, "choir_memory_upsert", '{"op": "insert", ')
    no_object = use(api, "choir_memory_upsert", "[1]")

    assert told.json()["outcome"] == "inserted"
    assert [answer.status_code for answer in (broken, no_object)] == [422, 422]
    assert "arguments" in broken.json()["detail"]["fields"]
