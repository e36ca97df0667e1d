"""The time line of a person, and what an agent would see of them."""

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from consolidation.edits.profile import change_profile
from knowledge.changes.apply import Evidence, ItemChange, apply_changes
from knowledge.models import Fact, Scaffold
from memory.models import Session
from recall.models import Receipt
from recall.prompt.assembly import assemble_context
from recall.receipts.items import SESSIONS, read_items
from tests.contracts.stores import rule
from tests.factories import make_ended_session, make_session
from tests.inspector.person.people import HOSTILE, make_fact, make_person
from tests.inspector.picture.test_pages import learn
from tests.recall.learned import keep

QUESTION = "What does my cat eat?"
PAGES = ("memory-timeline", "memory-preview")


@pytest.fixture
def alice(porter, client):
    person, owner = make_person(porter)
    client.force_login(person)
    return owner


def show(client, name, owner, **query):
    answer = client.get(reverse(name, args=[owner.pk]), query)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.requirement("TS-81")
def test_the_time_line_shows_what_was_said_learned_and_corrected(client, alice):
    make_session(alice.agent, alice.key, external_id="first chat")
    learn(alice, "User lives in Porto.")
    version = Scaffold.objects.get(owner=alice).version
    change_profile(
        owner=alice, part="scaffold", fields={"/Places/Home": "Braga"}, version=version, actor="a"
    )

    page = show(client, "memory-timeline", alice)

    for part in (
        "first chat",
        "Learned from several observations",
        "Changed by you",
        'class="said"',
        'class="learned"',
        'class="corrected"',
    ):
        assert part in page
    assert page.index("Changed by you") < page.index("Learned from several observations")


def test_the_time_line_says_what_a_change_was_about(client, alice):
    fact = make_fact(alice, "sardines")
    learn(alice, "User lives in Porto.")
    version = Scaffold.objects.get(owner=alice).version
    fields = {"/Food/Allergies": ["peanuts", "soy"]}
    change_profile(owner=alice, part="scaffold", fields=fields, version=version, actor="a")
    for act in ("bump", "retire"):
        change = ItemChange("fact", act, fact.pk, {}, Evidence("", "", "high"), "x", "", "1")
        apply_changes(owner=alice, origin="turn", run_key=act, changes=[change])

    page = show(client, "memory-timeline", alice)
    fact.delete()
    without = show(client, "memory-timeline", alice)

    assert ": peanuts, soy<" in page
    assert "Said again: Knows sardines<" in page
    assert "No longer counted: Knows sardines<" in page
    assert "No longer counted: a fact that is deleted by now<" in without


def test_the_time_line_goes_on_where_the_page_ended(client, alice):
    made = [make_session(alice.agent, alice.key, external_id=f"chat-{n:02}.") for n in range(30)]
    # All at one time: nothing is shown twice or left out even then.
    Session.objects.update(opened_at=made[0].opened_at)
    address, found = reverse("memory-timeline", args=[alice.pk]), ""

    first = client.get(address)
    older = first.context["shown"].older
    second = client.get(address, {"before": older})

    found = first.content.decode() + second.content.decode()
    assert all(found.count(f"chat-{n:02}.") == 1 for n in range(30))
    assert second.context["shown"].older == ""
    assert len(first.context["shown"].moments) == 25


@pytest.mark.parametrize("cursor", ["x", "2026-01-01_x", "2026-01-01T00:00:00_", "\0", "_"])
def test_a_cursor_that_is_none_begins_with_the_newest(client, alice, cursor):
    make_session(alice.agent, alice.key, external_id="first chat")

    assert "first chat" in show(client, "memory-timeline", alice, before=cursor)


def test_an_empty_time_line_says_so(client, alice):
    Session.objects.all().delete()

    assert "Nothing has happened yet" in show(client, "memory-timeline", alice)


def test_the_time_line_asks_as_often_for_many_rows_as_for_one(client, alice):
    def queries():
        with CaptureQueriesContext(connection) as found:
            show(client, "memory-timeline", alice)
        return len(found)

    make_fact(alice)
    few = queries()
    for name in ("figs", "plums", "pears", "nuts"):
        make_fact(alice, name, f"I like {name}.")

    assert queries() == few


@pytest.mark.requirement("TS-81")
def test_the_preview_shows_what_the_agent_would_see_and_leaves_nothing(client, alice):
    make_fact(alice)
    before = (Session.objects.count(), Receipt.objects.count(), Fact.objects.get())

    page = show(client, "memory-preview", alice, q="What does my cat eat?")

    assert "trout" in page
    assert "What it is made of" in page
    fact = Fact.objects.get()
    assert (Session.objects.count(), Receipt.objects.count()) == before[:2]
    assert fact.last_referenced_at == before[2].last_referenced_at


def ask(client, owner, question=QUESTION):
    """Ask for a preview where nothing can be written."""
    with transaction.atomic():
        connection.cursor().execute("set local transaction_read_only = on")
        answer = client.get(reverse("memory-preview", args=[owner.pk]), {"q": question})
        transaction.set_rollback(True)
    assert answer.status_code == 200
    return answer


def named(items):
    return [(item.store, item.id, item.score, dict(item.signals), item.tokens) for item in items]


@pytest.mark.requirement("TS-81")
def test_the_preview_has_the_receipt_that_a_real_answer_leaves(client, alice):
    agent = alice.agent
    make_fact(alice)
    make_ended_session(agent, ["My cat sleeps on the oven.", "A cat! " * 150], user=alice.key)
    keep(alice, rule("Call me by my first name."))
    agent.context_tokens = 1_400
    agent.save()

    answer = ask(client, alice)
    real = assemble_context(session=make_session(agent, alice.key), query=QUESTION)

    receipt, shown = Receipt.objects.get(pk=real.receipt), answer.context["shown"]
    held, cut = read_items(receipt.items), read_items(receipt.left_out)
    assert named(row.item for row in shown.held) == named(held)
    assert named(row.item for row in shown.cut) == named(cut)
    assert {"facts", "rules", SESSIONS} <= {item.store for item in held}
    assert cut
    page = answer.content.decode()
    for told in (
        f"how well it fits: {len(held)} things",
        f"left out: {len(cut)} thing",
        "Call me by my first name.",
        "A cat! A cat!",
        "no room in the budget",
        "words × 1.0",
        f"There is room for {int(1_400 * 0.9)} in all.",
    ):
        assert told in page
    blocks = {one.name: one.amount for one in answer.context["bar"].segments}
    assert sum(blocks.values()) == pytest.approx(real.tokens, rel=0.05)
    assert all(f'<td class="number">{amount}</td>' in page for amount in blocks.values())


def test_the_preview_of_an_empty_memory_says_so(client, alice):
    page = ask(client, alice).content.decode()

    assert "Nothing that is remembered fits your question." in page
    assert "Nothing was left out" in page


def test_the_preview_asks_as_often_for_much_as_for_little(client, alice):
    def queries():
        with CaptureQueriesContext(connection) as found:
            ask(client, alice)
        return len(found)

    def remember(number):
        make_fact(alice, f"trout {number}")
        make_ended_session(alice.agent, [f"My cat sat on chair {number}."], user=alice.key)

    remember(0)
    few = queries()
    for number in range(1, 6):
        remember(number)

    assert queries() == few


def test_a_forgotten_fact_is_not_in_the_preview(client, alice):
    fact = make_fact(alice)
    fields = {"item": f"{fact.pk}:{fact.version}", "confirm": "yes"}
    client.post(reverse("memory-forget", args=[alice.pk, "facts"]), fields)

    assert "trout" not in show(client, "memory-preview", alice, q="What does my cat eat?")


def test_the_preview_waits_for_a_question(client, alice):
    assert "What it is made of" not in show(client, "memory-preview", alice)


def test_a_preview_that_does_not_fit_says_why(client, alice):
    alice.agent.context_tokens = 4
    alice.agent.save()

    assert "take all its room" in show(client, "memory-preview", alice, q="What?")


@pytest.mark.parametrize("name", PAGES)
def test_another_persons_pages_are_not_found(client, alice, porter, name):
    _, bob = make_person(porter, "bob")

    assert client.get(reverse(name, args=[bob.pk]), {"q": "cat"}).status_code == 404


@pytest.mark.parametrize("name", PAGES)
def test_stored_markup_is_shown_as_text(client, alice, name):
    make_fact(alice, HOSTILE[:180], HOSTILE)
    make_ended_session(alice.agent, [HOSTILE], user=alice.key, external_id=HOSTILE)

    page = show(client, name, alice, q=HOSTILE)

    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page
