"""Incognito sessions over HTTP: the same addresses, and no trace."""

import hashlib
import logging
from functools import cache
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Owner, User
from crisis.log import EPHEMERAL as CRISES
from crisis.log import STORED as STORED_CRISES
from feedback.record import EPHEMERAL as LABELS
from memory import incognito
from memory.errors import ModeUnavailable
from memory.models import Embedding, Session
from memory.rooms import Rooms
from memory.sessions import open_session
from providers import registry
from providers.registry import embedder
from tests.factories import make_ended_session, run_jobs

URL = "/api/v1/sessions"
CANARY = "marzipan-7f3a"


@pytest.fixture(autouse=True)
def held_here(settings):
    settings.INCOGNITO = "process"
    incognito._here.cache_clear()
    yield
    incognito._here.cache_clear()
    CRISES._records, LABELS._records = {}, {}


@pytest.fixture
def room(api) -> str:
    """Return the address of an incognito session."""
    body = {"user": f"user {CANARY}", "external_id": CANARY, "metadata": {"x": CANARY}}
    answer = api.post(URL, {**body, "mode": "incognito"}, format="json")
    assert answer.status_code == 201
    return f"{URL}/{answer.json()['id']}"


def say(api, room, text=f"my word is {CANARY}", role="user", **more):
    return api.post(
        f"{room}/events",
        {"messages": [{"role": role, "content": text}]},
        format="json",
        **more,
    )


def everything() -> dict[str, tuple[int, str]]:
    """Return the count and a digest of the rows of every table but the bucket of requests."""
    found = {}
    for model in apps.get_models():
        table = model._meta.db_table
        if table == "accounts_requestbucket":
            continue
        with connection.cursor() as cursor:
            cursor.execute(f'select found::text from "{table}" found order by 1')
            rows = [row[0] for row in cursor.fetchall()]
        assert not any(CANARY in row for row in rows)
        found[table] = len(rows), hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return found


@pytest.mark.requirement("OC-74")
@pytest.mark.requirement("XX-03")
def test_a_whole_session_changes_no_row_and_writes_no_line(api, porter, caplog):
    make_ended_session(porter, ["an ordinary day"])
    before = everything()

    with caplog.at_level(logging.DEBUG), CaptureQueriesContext(connection) as asked:
        body = {"user": CANARY, "mode": "guest", "metadata": {"x": CANARY}, "external_id": CANARY}
        room = f"{URL}/{api.post(URL, body, format='json').json()['id']}"
        say(api, room)
        say(api, room, HTTP_IDEMPOTENCY_KEY=CANARY)
        say(api, room, f"please remember {CANARY}. From now on answer briefly. /compact")
        say(api, room, "I will.", "assistant")
        say(api, room, f"x {CANARY} " * 20_000)
        say(api, room, CANARY, "nobody")
        api.post(f"{room}/context", {"query": CANARY}, format="json")
        report = {"level": 3, "classifier_path": "llm_primary", "reason": CANARY}
        api.post(f"{room}/crisis", {**report, "trace_id": CANARY}, format="json")
        for act in ("compact", "heartbeat"):
            assert api.post(f"{room}/{act}", {}, format="json").status_code == 404
        said = {"messages": [{"role": "user", "content": CANARY}]}
        assert api.post(f"{room}/transcript", said, format="json").status_code == 404
        ended = api.post(f"{room}/end", {"feedback": "negative"}, format="json")

    assert ended.json()["state"] == "closed"
    assert everything() == before
    assert CANARY not in caplog.text
    assert not any(CANARY in query["sql"] for query in asked.captured_queries)


def test_its_prompt_has_what_it_said_and_nothing_remembered(api, porter, room):
    make_ended_session(porter, ["the cat eats trout"], user=f"user {CANARY}")
    porter.soul = "Kind."
    porter.save()
    say(api, room, "what does the cat eat?")
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    turn = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "nothing"},
    ]
    api.post(f"{room}/events", {"messages": turn}, format="json")

    answer = api.post(f"{room}/context", {}, format="json")

    found = answer.json()
    told = [message["content"] for message in found["messages"]]
    clock = told.pop(2)
    assert clock.startswith("Time: ")
    assert told == ["Be brief.", "Kind.", "what does the cat eat?", None, "nothing"]
    assert found["receipt"] is None
    assert found["tokens"] > 0
    assert answer["Cache-Control"] == "no-store"


def test_a_prompt_holds_what_is_given_with_it(api, room):
    body = {"directives": {"caution": "high"}, "artifacts": [{"name": "Plan.md"}]}

    told = api.post(f"{room}/context", body, format="json").json()["messages"]

    assert '{"caution": "high"}' in told[1]["content"]
    assert '{"name": "Plan.md"}' in told[1]["content"]


def test_a_prompt_that_has_no_room_is_refused_and_old_words_give_way(api, room):
    for number in range(9):
        say(api, room, f"{number} " + "tomato " * 30)

    small = api.post(f"{room}/context", {"max_tokens": 120}, format="json").json()
    none = api.post(f"{room}/context", {"max_tokens": 3}, format="json")

    assert small["messages"][-1]["content"].startswith("8 ")
    assert len(small["messages"]) < 9
    assert none.json()["code"] == "budget_too_small"


def test_a_job_is_shown_last(api, room):
    job = {"type": "CoreJobStart", "payload": {"content": "Sort it."}, "lane": "core"}
    api.post(f"{room}/events", {"events": [job]}, format="json")

    found = api.post(f"{room}/context", {"lane": "core"}, format="json").json()

    assert found["messages"][-1] == {"role": "system", "content": "Sort it."}


@pytest.mark.requirement("OC-74")
def test_no_model_is_asked(api, room, monkeypatch):
    def refuse(*given):
        raise AssertionError("a model was asked for")

    monkeypatch.setattr(registry, "embedder_named", refuse)
    monkeypatch.setattr(registry, "chat_model", refuse)
    say(api, room)

    assert api.post(f"{room}/context", {"query": "trout"}, format="json").status_code == 200


def test_its_log_is_listed_in_pages(api, room):
    for text in ("one", "two", "three"):
        say(api, room, text)

    first = api.get(f"{room}/events?limit=2").json()
    second = api.get(f"{room}/events?limit=2&after={first['next']}").json()

    texts = [one["payload"]["content"] for one in (*first["results"], *second["results"])]
    assert texts == ["one", "two", "three"]
    assert second["next"] is None


def test_a_repetition_keeps_nothing_twice(api, room):
    first = say(api, room, "one", HTTP_IDEMPOTENCY_KEY="k")
    second = say(api, room, "one", HTTP_IDEMPOTENCY_KEY="k")
    other = say(api, room, "two", HTTP_IDEMPOTENCY_KEY="k")

    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert other.json()["code"] == "idempotency_conflict"


def test_an_ended_one_takes_no_more(api, room):
    api.post(f"{room}/end", {}, format="json")

    assert say(api, room).json()["code"] == "session_closed"
    assert api.get(room).json()["state"] == "closed"


def test_it_is_its_agent_s_alone(api, rival_api, room):
    assert rival_api.get(room).status_code == 404
    assert say(rival_api, room).status_code == 404
    assert api.get(f"{URL}/{uuid4()}").status_code == 404
    assert api.get(URL).json()["results"] == []


@pytest.mark.requirement("OC-59")
@pytest.mark.requirement("OC-74")
def test_crisis_and_feedback_are_kept_in_the_process_and_of_nobody(api, room):
    say(api, room)
    given = str(uuid4())
    report = {"level": 2, "classifier_path": "llm_primary", "id": given}

    codes = [api.post(f"{room}/crisis", report, format="json").status_code for _ in range(2)]
    api.post(f"{room}/end", {"feedback": "positive"}, format="json")

    assert codes == [201, 200]
    (crisis,), (label,) = CRISES._records.values(), LABELS._records.values()
    assert (crisis.person_opaque, label.person_opaque) == (None, None)
    assert (label.label, label.turn_count_at_end) == ("positive", 1)
    assert STORED_CRISES.count() == 0
    missing = api.post(f"{URL}/{uuid4()}/crisis", report, format="json")
    assert missing.status_code == 404


@pytest.mark.requirement("OC-75")
@pytest.mark.requirement("OC-76")
@pytest.mark.parametrize("mode", ["local", "synced"])
def test_local_and_synced_are_stored_alike(api, mode):
    made = api.post(URL, {"user": "alice", "mode": mode}, format="json").json()
    say(api, f"{URL}/{made['id']}", "one")

    stored = Session.objects.get()
    assert (stored.mode, stored.events.count(), made["mode"]) == (mode, 1, mode)
    api.post(f"{URL}/{made['id']}/end", {}, format="json")
    run_jobs()
    (embedded,) = Embedding.objects.filter(owner=stored.owner)
    assert (embedded.space.model, embedded.space.dimension) == (
        embedder().model,
        embedder().dimension,
    )


@pytest.mark.requirement("OC-76")
def test_synced_behaves_exactly_like_local(api, porter):
    answers = []
    for mode in ("local", "synced"):
        made = api.post(URL, {"user": mode, "mode": mode}, format="json").json()
        place = f"{URL}/{made['id']}"
        say(api, place, "we planted tomatoes")
        prompt = api.post(f"{place}/context", {}, format="json").json()
        ended = api.post(f"{place}/end", {}, format="json").json()
        answers.append((prompt["messages"], [step["name"] for step in ended["steps"]]))

    assert answers[0] == answers[1]


@pytest.mark.parametrize("asked", ["local", "synced", None])
def test_a_request_never_raises_the_server_s_mode(api, settings, asked):
    settings.MODE = "guest"
    body = {"user": "alice"} | ({"mode": asked} if asked else {})

    made = api.post(URL, body, format="json").json()

    assert made["mode"] == "incognito"
    assert not Session.objects.exists()
    assert not Owner.objects.exists()
    assert not User.objects.filter(external_id="alice").exists()


def test_a_stored_session_is_not_turned_into_another(api):
    made = api.post(URL, {"user": "alice", "external_id": "x"}, format="json").json()

    other = api.post(
        URL, {"user": "alice", "external_id": "x", "mode": "incognito"}, format="json"
    ).json()

    assert other["id"] != made["id"]
    assert Session.objects.get().mode == "local"


def test_nothing_is_ever_stored_in_that_mode(porter):
    with pytest.raises(ModeUnavailable):
        open_session(agent=porter, user="alice", mode="guest")
    assert not Session.objects.exists()


@pytest.mark.parametrize("place", ["", "/nowhere/rooms"])
def test_without_a_process_that_holds_it_it_is_refused(api, settings, place):
    settings.INCOGNITO = place

    answer = api.post(URL, {"mode": "incognito", "user": "alice"}, format="json")

    assert answer.json()["code"] == ("incognito_gone" if place else "mode_unavailable")
    assert api.get(f"{URL}/{uuid4()}").status_code == (503 if place else 404)


def test_a_place_that_does_not_declare_itself_is_refused(api, monkeypatch):
    class Cupboard(Rooms):
        """Inherits the word, and has not given it."""

    monkeypatch.setattr(incognito, "_here", cache(Cupboard))

    answer = api.post(URL, {"mode": "incognito", "user": "alice"}, format="json")

    assert answer.json()["code"] == "mode_unavailable"


def test_no_room_left_is_said(api, monkeypatch):
    monkeypatch.setattr("memory.rooms.MOST_ROOMS", 0)

    answer = api.post(URL, {"mode": "incognito", "user": "alice"}, format="json")

    assert (answer.status_code, answer.json()["code"]) == (503, "incognito_full")


def test_the_holder_wants_a_socket():
    with pytest.raises(CommandError, match="no socket"):
        call_command("incognito")
