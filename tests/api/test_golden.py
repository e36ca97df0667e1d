import pytest

from audit.models import AuditEntry
from memory.models import Event
from recall.models import GoldenQuestion
from tests.factories import make_ended_session

URL = "/api/v1/golden"
TEXTS = ["My cat only eats trout.", "We planted tomatoes."]


@pytest.fixture
def answer(api, porter):
    """Return the answer to a question, whose receipt holds one result."""
    make_ended_session(porter, TEXTS)
    asked = {"query": "what does the cat eat?", "user": "alice"}
    return api.post("/api/v1/recall", asked, format="json").json()


def post(client, *, key: str = "", **body):
    headers = {"HTTP_IDEMPOTENCY_KEY": key} if key else {}
    return client.post(URL, body, format="json", **headers)


def event_of(text: str) -> str:
    return str(Event.objects.get(payload__content=text).pk)


def test_a_receipt_s_results_are_recorded_as_what_should_come(api, answer):
    made = post(api, receipt=answer["receipt"], note="fish")

    assert made.status_code == 201
    body = made.json()
    assert (body["user"], body["query"], body["note"]) == (
        "alice",
        "what does the cat eat?",
        "fish",
    )
    assert body["expected"] == answer["results"][0]["source"]["events"]
    assert body["receipt"] == answer["receipt"]
    assert AuditEntry.objects.get(action="golden.keep").actor.startswith("key ")


def test_results_and_events_are_named_instead(api, answer):
    result = answer["results"][0]["id"]

    body = post(api, receipt=answer["receipt"], expected=[result, event_of(TEXTS[1])]).json()

    assert body["expected"] == [event_of(TEXTS[0]), event_of(TEXTS[1])]


def test_a_question_needs_no_receipt(api, answer):
    made = post(api, user="alice", query="what grows?", expected=[event_of(TEXTS[1])])

    assert made.status_code == 201
    assert made.json()["receipt"] is None


def test_the_same_question_again_replaces_what_was_expected(api, answer):
    post(api, receipt=answer["receipt"])

    again = post(api, receipt=answer["receipt"], expected=[event_of(TEXTS[1])])

    assert again.status_code == 200
    assert GoldenQuestion.objects.count() == 1
    assert again.json()["expected"] == [event_of(TEXTS[1])]


def test_a_repetition_of_a_key_changes_nothing(api, answer):
    first = post(api, key="once", receipt=answer["receipt"])
    again = post(api, key="once", receipt=answer["receipt"])
    other = post(api, key="once", receipt=answer["receipt"], note="else")

    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 422)
    assert again.json() == first.json()
    assert other.json()["code"] == "idempotency_conflict"


def test_the_set_is_the_agent_s_page_by_page(api, rival_api, answer):
    for text in ("one", "two", "three"):
        post(api, user="alice", query=text, expected=[event_of(TEXTS[0])])

    first = api.get(URL, {"limit": 2}).json()
    rest = api.get(URL, {"limit": 2, "after": first["next"]}).json()

    assert [one["query"] for one in first["results"] + rest["results"]] == ["three", "two", "one"]
    assert rest["next"] is None
    assert rival_api.get(URL).json() == {"results": [], "next": None}


def test_a_question_is_taken_out_of_the_set_once_and_by_its_agent(api, rival_api, answer):
    address = f"{URL}/{post(api, receipt=answer['receipt']).json()['id']}"

    codes = [client.delete(address).status_code for client in (rival_api, api, api)]

    assert codes == [404, 204, 404]
    assert not GoldenQuestion.objects.exists()
    assert AuditEntry.objects.filter(action="golden.drop").count() == 1


def test_another_s_receipt_user_or_event_is_not_found(api, rival_api, answer):
    event = event_of(TEXTS[0])

    faults = [
        post(rival_api, receipt=answer["receipt"]),
        post(rival_api, user="alice", query="x", expected=[event]),
        post(api, user="bob", query="x", expected=[event]),
    ]

    assert [one.status_code for one in faults] == [404, 404, 404]
    assert not GoldenQuestion.objects.exists()


def test_an_id_that_nothing_stands_for_is_named(api, answer):
    unknown = "00000000-0000-7000-8000-000000000000"

    fault = post(api, receipt=answer["receipt"], expected=[unknown])

    assert fault.status_code == 422
    assert (fault.json()["code"], fault.json()["detail"]["id"]) == ("expected_unknown", unknown)


def test_an_answer_that_held_nothing_of_a_session_is_unfit(api, porter):
    make_ended_session(porter, TEXTS)
    asked = {"query": "xylophone", "user": "alice"}
    empty = api.post("/api/v1/recall", asked, format="json").json()

    assert post(api, receipt=empty["receipt"]).json()["code"] == "golden_unfit"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"user": "alice"},
        {"user": "alice", "query": "x"},
        {"query": "x", "expected": ["00000000-0000-7000-8000-000000000000"]},
        {"user": "alice", "query": "x", "expected": []},
        {"receipt": "00000000-0000-7000-8000-000000000000", "user": "alice"},
        {"receipt": "x"},
    ],
)
def test_a_body_that_says_too_little_or_too_much_is_invalid(api, body):
    fault = post(api, **body)

    assert (fault.status_code, fault.json()["code"]) == (422, "invalid")
