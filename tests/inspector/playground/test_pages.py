"""The playground's pages: who may open them, what they show, and what they leave behind."""

from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.credits import set_budget
from accounts.models import User
from audit.models import AuditEntry, CostEntry
from consolidation.models import Candidate
from inspector.playground.urls import urlpatterns
from inspector.playground.watching import watch
from memory.incognito import rooms
from memory.models import Event, Session
from tests.consolidation.candidates import fact, hold
from tests.drop_in.talking import forget
from tests.drop_in.upstream import running
from tests.factories import make_session, run_jobs

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture
def model(settings):
    with running() as fake:
        settings.CHAT, settings.OPENAI_BASE_URL = "openai", fake.url
        forget()
        yield fake
        forget()


def start(client: Client, agent, **fields) -> str:
    """Begin a session and return the address of its page."""
    answer = client.post(
        reverse("console-playground"), {"agent": agent.pk, "user": "alice", **fields}
    )
    assert answer.status_code == 302
    return answer["Location"].split("#")[0]


def say(client: Client, place: str, text: str) -> str:
    """Say something and return the page that follows."""
    return client.post(f"{place}say", {"text": text}, follow=True).content.decode()


def panel(client: Client, place: str) -> str:
    return client.get(place, headers={"hx-request": "true"}).content.decode()


def test_what_is_said_is_learned_beside_the_talk_and_found_in_the_next_session(desk, porter):
    porter.synthesises_at_once = True
    porter.save()
    place = start(desk, porter)
    waiting = say(desk, place, "My cat is called Minka.")
    run_jobs()
    learned = panel(desk, place)
    desk.post(f"{place}end")
    run_jobs()
    ended = panel(desk, place)
    second = start(desk, porter)
    again = say(desk, second, "What is my cat called?")

    assert "No language model is configured" in waiting
    assert 'hx-trigger="every 2s"' in waiting
    assert "hx-trigger" not in learned
    assert "hx-swap-oob" in learned
    assert "<q>My cat is called Minka" in learned
    assert "<html" not in learned
    assert "worked in" in learned
    assert "Narrative 1" in learned
    assert "The session&#x27;s end" in ended or "The session's end" in ended
    assert "Minka" in again.split("Retrieved for the last turn")[1].split("<h3>Extracted")[0]
    assert "Minka" in again.split("What memory finds for your words:")[1].split("</li>")[0]
    assert [one.content["content"] for one in Event.objects.order_by("pk")] == [
        "My cat is called Minka.",
        "What is my cat called?",
    ]


def test_a_model_answers_and_its_answer_is_kept(desk, porter, model):
    place = start(desk, porter)

    model.says = HOSTILE
    shown = say(desk, place, f"Hello {HOSTILE}")

    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "No language model" not in shown
    roles = [one["role"] for one in model.asked[-1]["messages"]]
    assert roles[-1] == "user"
    assert model.asked[-1]["model"] == "gpt-4.1-mini"
    assert Event.objects.count() == 2
    cost = CostEntry.objects.get(purpose="chat")
    assert (cost.state, cost.input_tokens, cost.output_tokens) == ("settled", 500, 7)
    assert cost.session == Session.objects.get().pk


@pytest.mark.parametrize("trouble", ["status", "silence", "gone", "nothing", "budget"])
def test_a_failure_is_told_and_what_was_said_is_kept(desk, porter, model, settings, trouble):
    place = start(desk, porter)
    if trouble == "status":
        model.status = 429
    elif trouble == "silence":
        model.says = ""
    elif trouble == "gone":
        settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    elif trouble == "budget":
        set_budget(organization=porter.organization, micro_usd=Decimal(1), actor="operator")
    else:
        settings.CHAT = "null"
    forget()

    shown = say(desk, place, "Are you there?")

    assert "<p>Are you there?</p>" in shown
    assert "No answer came." in shown
    assert Event.objects.count() == 1
    told = {
        "status": "The model answers with status 429. Look at the key",
        "silence": "The model answers without a word.",
        "gone": "Look at OPENAI_BASE_URL",
        "nothing": "Set OPENAI_API_KEY",
        "budget": "It goes on tomorrow",
    }
    assert told[trouble] in shown
    assert len(model.asked) == (trouble in {"status", "silence"})


def test_what_is_no_message_is_refused_and_an_ended_session_takes_none(desk, porter):
    place = start(desk, porter)

    assert "This field is required." in say(desk, place, "  ")
    assert "Null characters" in say(desk, place, "a\0b")
    desk.post(f"{place}end")
    assert "What you wrote was not kept." in say(desk, place, "One more thing.")
    assert Event.objects.count() == 0
    # A second end changes nothing.
    assert desk.post(f"{place}end").status_code == 302
    assert AuditEntry.objects.filter(action="playground.end").count() == 1


def test_who_began_ended_and_looked_is_on_record(desk, porter, operator):
    place = start(desk, porter)
    desk.get(place)
    desk.get(place)
    desk.post(f"{place}end")

    acts = list(AuditEntry.objects.order_by("pk").values_list("action", "actor"))
    assert acts == [
        ("playground.start", "operator"),
        ("memory.view", "operator"),
        ("playground.end", "operator"),
    ]


def test_incognito_keeps_nothing(desk, porter, model, settings):
    settings.INCOGNITO = "process"
    rooms.__globals__["_here"].cache_clear()
    place = start(desk, porter, incognito="on")
    model.says = "I hear you."
    say(desk, place, "My cat is called Minka.")
    shown = say(desk, place, "And what is it called?")
    said = [one["content"] for one in model.asked[-1]["messages"] if one["role"] != "system"]
    settings.CHAT = "offline"
    forget()
    offline = desk.get(place).content.decode()
    settings.CHAT = "openai"
    ended = desk.post(f"{place}end", follow=True).content.decode()

    assert "Incognito: nothing is looked up" in shown
    assert said == ["My cat is called Minka.", "I hear you.", "And what is it called?"]
    assert "My cat is called Minka." in offline
    assert "nothing of it is kept" in ended
    assert "Minka" not in desk.get(place).content.decode()
    assert (Session.objects.count(), Event.objects.count()) == (0, 0)
    assert not AuditEntry.objects.exists()


def test_incognito_is_refused_where_nobody_can_vouch_for_it(desk, porter):
    answer = desk.post(
        reverse("console-playground"), {"agent": porter.pk, "user": "alice", "incognito": "on"}
    )

    assert answer.status_code == 422
    assert "No process of this server holds incognito sessions" in answer.content.decode()


def test_nobody_else_finds_any_of_it(client, desk, porter, rival):
    """Others' agents, sessions that began elsewhere, and people who do not keep the installation."""
    place = start(desk, porter)
    other = make_session(rival, external_id="playground:x")
    theirs = reverse("console-playground-talk", args=[rival.pk, other.pk])
    foreign = make_session(porter, external_id="drop-in:x")
    elsewhere = reverse("console-playground-talk", args=[porter.pk, foreign.pk])
    crossed = reverse("console-playground-talk", args=[porter.pk, other.pk])
    room = reverse("console-playground-talk", args=[porter.pk, uuid4()])
    home = porter.organization
    keeper = User.objects.create_superuser("keeper", organization=home)
    keeper.save()
    client.force_login(keeper)
    refused = client.post(reverse("console-playground"), {"agent": rival.pk, "user": "alice"})

    assert refused.status_code == 422
    assert client.get(place).status_code == 200
    for address in (theirs, elsewhere, crossed, room):
        assert client.get(address).status_code == 404
        assert client.post(f"{address}say", {"text": "x"}).status_code == 404
        assert client.post(f"{address}end").status_code == 404
    staff = User.objects.create_user("charlie", is_staff=True, organization=home)
    client.force_login(staff)
    assert "Playground" not in client.get(reverse("console")).content.decode()
    for address in (reverse("console-playground"), place):
        assert client.get(address).status_code == 404
    client.logout()
    assert client.get(place).url.startswith(reverse("login"))
    assert client.post(f"{place}say", {"text": "x"}).url.startswith(reverse("login"))
    assert {one.name for one in urlpatterns} == {
        "console-playground",
        "console-playground-talk",
        "console-playground-say",
        "console-playground-end",
    }
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(keeper)
    assert strict.post(f"{place}say", {"text": "x"}).status_code == 403
    assert strict.get(f"{place}say").status_code == 405
    assert not Event.objects.exists()


def test_the_panel_takes_as_many_queries_however_much_there_is(desk, porter):
    place = start(desk, porter, user=HOSTILE)
    session = Session.objects.get()
    for text in ("My cat is called Minka.", f"What is my cat called? {HOSTILE}"):
        say(desk, place, text)
        run_jobs()
    with CaptureQueriesContext(connection) as before:
        watch(session)
    hold(session, *(fact(str(n), HOSTILE, turn=n) for n in range(2, 22)))
    Candidate.objects.filter(turn__lt=9).update(state="quarantined")
    for _ in range(5):
        say(desk, place, f"My cat is called Minka. {HOSTILE}")
    run_jobs()
    with CaptureQueriesContext(connection) as after:
        found = watch(session)

    shown = panel(desk, place)
    assert len(found.held) > 0
    assert len(after) == len(before) <= 15
    assert {one.name for one in found.groups if one.taught} >= {"Held", "Quarantined"}
    assert HOSTILE not in shown
    assert HOSTILE not in desk.get(place).content.decode()
