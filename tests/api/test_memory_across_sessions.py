"""What is typed in one session is there in the next: the whole path, by the rules of this machine."""

import pytest

from tests.factories import make_session, run_jobs

TURNS = [
    ("From now on, please always answer briefly.", "Gladly."),
    ("My sister Charlie lives in Lisbon and I visit her every summer.", "How lovely."),
    ("I am worried about my job because my boss wants to close our office.", "That is hard."),
    ("I have started to swim every morning, it helps me sleep.", "Good for you."),
    ("My sister Charlie wants to move to Berlin next year.", "Near you then?"),
]


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def say(api, session, text, reply):
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": reply}]
    answer = api.post(
        f"/api/v1/sessions/{session.pk}/events", {"messages": messages}, format="json"
    )
    assert answer.status_code == 201
    run_jobs()


@pytest.fixture
def session(api, porter):
    """Return a session in which all was said, ended and learned from."""
    found = make_session(porter)
    for text, reply in TURNS:
        say(api, found, text, reply)
    api.post(f"/api/v1/sessions/{found.pk}/end", {}, format="json")
    run_jobs()
    return found


def ask(api, porter, text) -> dict:
    second = make_session(porter)
    words = {"messages": [{"role": "user", "content": text}]}
    api.post(f"/api/v1/sessions/{second.pk}/events", words, format="json")
    return api.post(f"/api/v1/sessions/{second.pk}/context", {}, format="json").json()


def system(answer) -> str:
    return "".join(one["content"] for one in answer["messages"] if one["role"] == "system")


@pytest.mark.requirement("OC-02")
@pytest.mark.requirement("OC-01")
def test_facts_rules_and_the_session_itself_come_back_in_the_next_session(api, porter, session):
    answer = ask(api, porter, "What about my sister Charlie?")

    arc, fact = answer["turn"]["entries"]
    assert arc["session"] == str(session.pk)
    assert (fact["predicate"], fact["object"]) == ("KNOWS", "sister Charlie")
    prompt = system(answer)
    assert "[relationship] User KNOWS sister Charlie — 'My sister Charlie lives" in prompt
    assert "Always answer briefly." in prompt


@pytest.mark.requirement("OC-71")
def test_what_was_deleted_is_in_no_list_and_no_longer_a_fact_of_the_next_prompt(
    api, porter, session
):
    confirm = [
        {name: one[name] for name in ("layer", "id", "version")}
        for one in api.post(
            "/api/v1/memory/forget", {"user": "alice", "query": "my sister Charlie"}, format="json"
        ).json()["would_forget"]
    ]
    api.post("/api/v1/memory/forget", {"user": "alice", "confirm": confirm}, format="json")
    run_jobs()

    answer = ask(api, porter, "What about my sister Charlie?")

    assert {one["layer"] for one in confirm} == {"facts", "sessions"}
    assert answer["turn"]["entries"] == []
    counts = api.get("/api/v1/memory/status?user=alice").json()["counts"]
    assert counts == {"semantic": 0, "episodic": 0, "procedural": 1}
