import pytest

from consolidation.embedding.documents import keep_document
from recall.models import Receipt
from tests.factories import make_agent, make_ended_session, run_jobs

URL = "/api/v1/recall"


def test_a_result_names_its_source_and_its_signals(api, porter):
    session = make_ended_session(porter, ["My cat only eats trout."])

    answer = api.post(
        URL, {"query": "what does the cat eat?", "user": "alice"}, format="json"
    ).json()

    (result,) = answer["results"]
    assert result["text"] == result["source"]["quote"] == "My cat only eats trout."
    assert result["source"]["session"] == str(session.pk)
    assert len(result["source"]["events"]) == 1
    assert result["signals"]["words"] > 0
    assert answer["searched_by"] == "words"


def test_the_receipt_shows_the_question_and_the_scores(api, rival_api, porter):
    make_ended_session(porter, ["My cat only eats trout."])
    answer = api.post(URL, {"query": "cat", "user": "alice"}, format="json").json()

    receipt = api.get(f"/api/v1/receipts/{answer['receipt']}").json()

    assert receipt["query"] == "cat"
    assert receipt["items"][0]["id"] == answer["results"][0]["id"]
    assert rival_api.get(f"/api/v1/receipts/{answer['receipt']}").status_code == 404


def test_a_budget_in_tokens_leaves_out_what_does_not_fit(api, porter):
    make_ended_session(porter, ["cat " * 60, "a cat"])

    body = {"query": "cat", "user": "alice", "max_tokens": 10}
    answer = api.post(URL, body, format="json").json()

    assert [result["text"] for result in answer["results"]] == ["a cat"]
    assert len(Receipt.objects.get().left_out) == 1


def test_a_session_asks_its_owner_s_memory(api, porter):
    session = make_ended_session(porter, ["My cat only eats trout."])

    answer = api.post(URL, {"query": "cat", "session": str(session.pk)}, format="json").json()

    assert len(answer["results"]) == 1


@pytest.mark.requirement("XX-04")
def test_nobody_finds_what_another_user_said(api, rival_api, porter, rival):
    make_ended_session(porter, ["the secret is trout"], user="alice")
    make_ended_session(porter, ["nothing"], user="bob")
    make_ended_session(rival, ["nothing"], user="alice")

    for client, user in ((api, "bob"), (rival_api, "alice"), (api, "charlie")):
        answer = client.post(URL, {"query": "secret trout", "user": user}, format="json")
        assert b"secret is" not in answer.content


def test_it_needs_to_know_whose_memory(api):
    answer = api.post(URL, {"query": "cat"}, format="json")

    assert (answer.status_code, answer.json()["code"]) == (422, "owner_required")


def test_results_are_filtered(api, porter):
    first = make_ended_session(porter, ["cat one"])
    make_ended_session(porter, ["cat two"])

    for filters, texts in (
        ({"session": str(first.pk)}, {"cat one"}),
        ({"since": "2026-06-01T00:00:00Z"}, set()),
        ({"until": "2026-06-01T00:00:00Z", "speaker": "USER"}, {"cat one", "cat two"}),
    ):
        body = {"query": "cat", "user": "alice", "filters": filters}
        found = api.post(URL, body, format="json").json()["results"]
        assert {result["text"] for result in found} == texts


def test_what_is_filtered_by_time_is_said_from_since_on_and_before_until(api, porter):
    make_ended_session(porter, ["a cat"])
    asked = {"query": "cat", "user": "alice"}
    (result,) = api.post(URL, asked, format="json").json()["results"]
    at = result["occurred_at"]

    for filters, count in (
        ({"since": at}, 1),
        ({"until": at}, 0),
        ({"since": at, "until": at}, 0),
        ({"since": "1999-01-01T00:00:00Z", "until": "2000-01-01T00:00:00+02:00"}, 0),
    ):
        answer = api.post(URL, asked | {"filters": filters}, format="json").json()
        assert len(answer["results"]) == count


def test_a_since_after_until_is_refused(api, porter):
    filters = {"since": "2026-06-02T00:00:00Z", "until": "2026-06-01T00:00:00Z"}
    body = {"query": "cat", "user": "alice", "filters": filters}

    answer = api.post(URL, body, format="json")

    problem = answer.json()
    assert (answer.status_code, problem["code"], bool(problem["hint"])) == (422, "invalid", True)
    assert "`since` lies after `until`" in str(problem["detail"]["fields"]["filters"])


def test_a_result_carries_what_was_said_beside_it(api, porter):
    session = make_ended_session(porter, ["Hello.", "A pet?", "My cat eats trout.", "Only trout?"])
    body = {"query": "cat eats", "user": "alice", "limit": 1}

    (plain,) = api.post(URL, body, format="json").json()["results"]
    (result,) = api.post(URL, body | {"widen": 2}, format="json").json()["results"]

    assert plain.keys() == result.keys() - {"before", "after"}
    assert [event["text"] for event in result["before"]] == ["Hello.", "A pet?"]
    assert [event["text"] for event in result["after"]] == ["Only trout?"]
    assert result["after"][0]["speaker"] == "user"
    assert result["after"][0]["id"] == str(session.events.get(seq=4).pk)


def test_what_was_said_beside_it_shares_the_budget(api, porter):
    make_ended_session(porter, ["word " * 60, "a cat", "yes"])
    body = {"query": "cat", "user": "alice", "widen": 1, "max_tokens": 30}

    (result,) = api.post(URL, body, format="json").json()["results"]

    assert (result["before"], [event["text"] for event in result["after"]]) == ([], ["yes"])
    assert Receipt.objects.get().tokens == result["tokens"] + result["after"][0]["tokens"] <= 30


@pytest.mark.parametrize("widen", [-1, 4, "1", True, None])
def test_it_refuses_to_widen_by_anything_but_none_to_three(api, widen):
    answer = api.post(URL, {"query": "cat", "user": "alice", "widen": widen}, format="json")

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


@pytest.fixture
def both(porter):
    """Return a session of alice's and a document of porter's, about the same thing."""
    keep_document(agent=porter, actor="test", key="cats", content="A cat needs meat.")
    keep_document(agent=porter, actor="test", content="A train needs rails.")
    return make_ended_session(porter, ["My cat only eats trout.", "We went to the sea."])


@pytest.mark.requirement("XX-08")
def test_each_result_says_its_store_and_two_are_fused_by_rank(api, both):
    body = {"query": "cat", "user": "alice", "stores": ["session", "knowledge"]}
    answer = api.post(URL, body, format="json").json()

    scores = {result["store"]: result["score"] for result in answer["results"]}
    assert scores == {"session": pytest.approx(1 / 61), "knowledge": pytest.approx(1 / 61)}
    document = answer["results"][1]
    assert (document["source"]["key"], document["text"]) == ("cats", "A cat needs meat.")
    receipt = api.get(f"/api/v1/receipts/{answer['receipt']}").json()
    assert [item.get("store") for item in receipt["items"]] == [None, "knowledge"]


def test_knowledge_alone_needs_no_user_and_keeps_its_own_scores(api, both):
    answer = api.post(URL, {"query": "cat", "stores": ["knowledge"]}, format="json").json()

    (result,) = answer["results"]
    assert result["score"] == result["signals"]["words"]
    assert result["source"]["version"] == 1
    assert answer["receipt"]


def test_a_session_result_is_the_same_with_and_without_naming_its_store(api, both):
    bodies: list[dict] = [{}, {"stores": []}, {"stores": ["session"]}]
    answers = [
        api.post(URL, body | {"query": "cat", "user": "alice"}, format="json").json()
        for body in bodies
    ]

    assert answers[0]["results"] == answers[1]["results"] == answers[2]["results"]
    assert [result["store"] for result in answers[0]["results"]] == ["session"]


def test_nothing_known_is_nothing_found(rival_api):
    body = {"query": "cat", "user": "alice", "stores": ["session", "knowledge"]}
    answer = rival_api.post(URL, body, format="json").json()

    assert (answer["results"], answer["receipt"]) == ([], None)


def test_the_limit_and_the_budget_hold_for_all_stores_together(api, both):
    body = {"query": "cat needs trout", "user": "alice", "stores": ["session", "knowledge"]}
    limited = api.post(URL, body | {"limit": 1}, format="json").json()
    short = api.post(URL, body | {"max_tokens": 6}, format="json").json()

    assert len(limited["results"]) == 1
    assert sum(result["tokens"] for result in short["results"]) <= 6


def test_an_agent_s_own_sessions_are_asked_by_owner(api, porter):
    opened = api.post("/api/v1/sessions", {"owner": "agent"}, format="json").json()
    events = {"messages": [{"role": "user", "content": "The secret is trout."}]}
    api.post(f"/api/v1/sessions/{opened['id']}/events", events, format="json")
    api.post(f"/api/v1/sessions/{opened['id']}/end", {}, format="json")
    run_jobs()

    answer = api.post(URL, {"query": "secret", "owner": "agent"}, format="json").json()

    assert [result["text"] for result in answer["results"]] == ["The secret is trout."]


@pytest.mark.requirement("CH-10")
def test_another_agent_is_asked_by_its_slug(api, porter):
    make_ended_session(make_agent("ledger"), ["My cat only eats trout."])
    body = {"query": "cat", "user": "alice", "target_agent": "ledger"}

    theirs = api.post(URL, body, format="json").json()
    own = api.post(URL, body | {"target_agent": "porter"}, format="json").json()

    assert [result["text"] for result in theirs["results"]] == ["My cat only eats trout."]
    assert theirs["receipt"] is None
    assert own["results"] == []


def test_another_agent_s_stores_are_asked_at_once(api, porter):
    ledger = make_agent("ledger")
    make_ended_session(ledger, ["My cat only eats trout."])
    keep_document(agent=ledger, actor="test", content="The cat is called Ada.")
    body = {"query": "cat", "user": "alice", "stores": ["session", "knowledge"]}

    answer = api.post(URL, body | {"target_agent": "ledger"}, format="json").json()

    assert {result["store"] for result in answer["results"]} == {"session", "knowledge"}


def test_an_agent_that_may_not_be_read_is_refused(api, rival):
    make_agent("ledger", is_shared=False)

    codes = {}
    for target in ("ledger", "rival", "nobody"):
        answer = api.post(URL, {"query": "cat", "target_agent": target}, format="json")
        codes[target] = (answer.status_code, answer.json()["code"])

    assert codes["ledger"] == (403, "forbidden")
    assert codes["rival"] == codes["nobody"] == (404, "unknown_agent")


def test_a_body_of_null_is_told_what_is_wrong(api):
    answer = api.generic("POST", URL, "null", content_type="application/json")

    assert answer.status_code == 422
    assert list(answer.json()["detail"]["fields"]) == ["non_field_errors"]


def test_a_session_that_is_not_there_is_not_found(api, rival_api, porter):
    session = make_ended_session(porter, ["My cat only eats trout."])

    answer = rival_api.post(URL, {"query": "cat", "session": str(session.pk)}, format="json")

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
