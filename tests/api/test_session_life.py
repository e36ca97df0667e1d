"""Compact, heartbeat, transcript, usage, and the ends that an operator orders."""

import pytest

from consolidation.models import Job
from consolidation.models.priorities import Priority
from memory.models import Event, LaneWindow, Session, Snapshot
from tests.factories import make_session, run_jobs

URL = "/api/v1/sessions"


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def session(api):
    """Return the address of an open session."""
    return f"{URL}/{api.post(URL, {'user': 'alice'}, format='json').json()['id']}"


def turn(text="What shall we cook?"):
    return [{"role": "user", "content": text}, {"role": "assistant", "content": "Pasta, perhaps."}]


def send(api, session, messages, **more):
    return api.post(f"{session}/events", {"messages": messages, **more}, format="json")


@pytest.mark.requirement("CH-42")
@pytest.mark.requirement("CH-46")
def test_a_lane_is_compacted_on_request(api, session):
    for _ in range(4):
        send(api, session, turn())

    answer = api.post(f"{session}/compact", {}, format="json")
    again = api.post(f"{session}/compact", {"lane": "edge"}, format="json")
    run_jobs()

    assert (answer.status_code, answer.json()["outcome"]) == (202, "scheduled")
    assert (again.status_code, again.json()["outcome"]) == (200, "already_running")
    shown = api.get(session).json()
    assert shown["compactions"][0] | {"at": None} == {
        "lane": "edge",
        "strategy": "reference_summary",
        "trigger": "api",
        "state": "applied",
        "folded": 4,
        "error_code": None,
        "at": None,
    }
    edge = shown["windows"][0]
    assert (edge["lane"], edge["start_seq"], edge["last_seq"]) == ("edge", 5, 8)
    assert edge["summary_tokens"] > 0


def test_with_nothing_to_fold_it_says_so(api, session):
    answer = api.post(f"{session}/compact", {"lane": "core"}, format="json")

    assert (answer.status_code, answer.json()["outcome"]) == (200, "nothing_to_compact")


def test_an_ended_session_is_not_compacted(api, session):
    api.post(f"{session}/end", {}, format="json")

    answer = api.post(f"{session}/compact", {}, format="json")

    assert (answer.status_code, answer.json()["code"]) == (409, "session_closed")


@pytest.mark.requirement("CH-48")
def test_a_heartbeat_keeps_a_snapshot(api, session):
    send(api, session, turn())

    answer = api.post(f"{session}/heartbeat").json()

    assert answer["lanes"]["edge"]["last_seq"] == 2
    assert Snapshot.objects.get().pk == answer["snapshot"]


def test_a_transcript_is_stored_whole_and_ends_the_session(api, session):
    body = {"messages": turn() * 100}

    answer = api.post(f"{session}/transcript", body, format="json", HTTP_IDEMPOTENCY_KEY="t")
    again = api.post(f"{session}/transcript", body, format="json", HTTP_IDEMPOTENCY_KEY="t")
    run_jobs()

    assert (answer.status_code, again.status_code) == (201, 200)
    assert answer.json()["events"] == 200
    assert answer.json()["end_reason"] == "transcript"
    assert Event.objects.count() == 200
    assert Session.objects.get().state == "closed"


def test_an_imported_transcript_gives_way_to_whoever_talks_now(api, session):
    body = {"messages": [{"role": "user", "content": "We planted Black Krim."}], "is_import": True}

    answer = api.post(f"{session}/transcript", body, format="json")

    assert answer.json()["end_reason"] == "import"
    assert Job.objects.get(kind="finalise").priority == Priority.BULK


def test_a_transcript_with_one_bad_message_stores_nothing(api, session):
    body = {"messages": [*turn(), {"role": "nobody", "content": "?"}]}

    answer = api.post(f"{session}/transcript", body, format="json")

    assert answer.status_code == 422
    assert not Event.objects.exists()
    assert Session.objects.get().is_open


def test_messages_go_to_the_lane_they_name(api, session):
    send(api, session, [{"role": "user", "content": "Think.", "lane": "core"}])

    assert Event.objects.get().lane == "core"


def test_real_usage_raises_the_count_and_never_lowers_it(api, session):
    for _ in range(20):
        send(api, session, turn())
    prompt = api.post(f"{session}/context", {}, format="json").json()

    usage = {"prompt_tokens": prompt["tokens"] * 2, "receipt": prompt["receipt"]}
    send(api, session, turn(), usage=usage)
    raised = api.post(f"{session}/context", {}, format="json").json()["tokens"]
    send(api, session, turn(), usage={"prompt_tokens": 1})

    window = LaneWindow.objects.get(lane="edge")
    assert window.calibration == pytest.approx(2.0, rel=0.02)
    assert raised > 1.9 * prompt["tokens"]


def test_usage_of_a_strange_prompt_is_passed_over(api, session, porter):
    stranger = "01890a5d-ac96-774b-bcce-b302099a8057"
    answer = send(api, session, turn(), usage={"prompt_tokens": 9_000, "receipt": stranger})

    assert answer.status_code == 201
    assert LaneWindow.objects.get(lane="edge").calibration == 1.0


@pytest.mark.parametrize("usage", [{}, {"prompt_tokens": 0}, {"prompt_tokens": "x"}, 7])
def test_odd_usage_is_refused_and_nothing_stored(api, session, usage):
    assert send(api, session, turn(), usage=usage).status_code == 422
    assert not Event.objects.exists()


@pytest.mark.requirement("CH-70")
def test_stopping_an_agent_ends_its_sessions(operator_api, porter, rival):
    mine = [make_session(porter, user) for user in ("alice", "bob")]
    other = make_session(rival)

    answer = operator_api.post("/api/v1/agents/porter/stop")
    run_jobs()

    assert answer.json() == {"ended": 2}
    for session in mine:
        session.refresh_from_db()
        assert (session.state, session.end_reason) == ("closed", "agent_stop")
    other.refresh_from_db()
    assert other.is_open


@pytest.mark.requirement("CH-70")
def test_an_agents_sessions_may_end_with_its_update(operator_api, porter):
    session = make_session(porter)

    operator_api.patch("/api/v1/agents/porter", {"soul": "Be warm."}, format="json")
    session.refresh_from_db()
    assert session.is_open
    operator_api.patch("/api/v1/agents/porter", {"soul": "Be cool.", "stop": True}, format="json")

    session.refresh_from_db()
    assert session.end_reason == "agent_stop"
    assert operator_api.get("/api/v1/agents/porter").json()["soul"] == "Be cool."


def test_an_agent_may_not_stop_agents(api, porter):
    assert api.post("/api/v1/agents/porter/stop").status_code == 403


def test_an_agents_lanes_and_tools_are_configured(operator_api, porter):
    tool = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
    fields = {
        "core_behaviour": "Think.",
        "core_soul": "Deep.",
        "has_core_lane": True,
        "tools": [tool],
        "compact_share": 0.5,
        "mid_term_sessions": 3,
    }

    answer = operator_api.patch("/api/v1/agents/porter", fields, format="json")

    assert {name: answer.json()[name] for name in fields} == fields


@pytest.mark.parametrize(
    "tools", [[{}], [{"type": "function"}], [{"type": "f", "function": {"name": "a"}}], ["a"]]
)
def test_odd_tools_are_refused(operator_api, porter, tools):
    answer = operator_api.patch("/api/v1/agents/porter", {"tools": tools}, format="json")

    assert answer.status_code == 422
