"""One search over all that is remembered."""

import re

import pytest
from django.urls import reverse

from knowledge.models import LearnedInfo, Scaffold, UserNarrative
from knowledge.notes.entries.operations import Add
from knowledge.notes.store import apply_operation
from knowledge.saved_facts.save import NewFact, save_facts
from tests.factories import make_ended_session
from tests.inspector.person.people import HOSTILE, make_fact, make_person
from tests.inspector.person.remembered import make_arc, make_rule

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(porter, client):
    person, owner = make_person(porter)
    client.force_login(person)
    make_fact(owner, "trout")
    make_rule(owner, "Never speak of trout.")
    make_arc(owner, "They cooked a trout.")
    UserNarrative.objects.create(owner=owner, text="Alice fries trout. She sleeps well.")
    Scaffold.objects.create(owner=owner, data={"Home": {"Pond": "full of trout"}})
    LearnedInfo.objects.create(owner=owner, items=["likes trout"])
    for number in range(30):
        words = "the Trout recipe" if number == 0 else "nothing"
        apply_operation(owner=owner, operation=Add(f"note {number}", words))
    facts = [NewFact(f"fish {n}", "trout" if n == 27 else "x") for n in range(30)]
    save_facts(owner=owner, facts=facts, session=None, source="tool")
    make_ended_session(porter, ["We caught a trout at the lake."])
    return owner


def found(client, owner, words: str, **headers) -> str:
    return client.get(f"/memory/{owner.pk}/search/", {"q": words}, headers=headers).content.decode()


def test_it_finds_in_every_place_and_leads_there(client, alice):
    shown = found(client, alice, "TROUT")

    places = re.findall(r'<h2 id="place-\d">(.+?)</h2>', shown)
    assert places == [
        "Facts",
        "What conversations were about",
        "Rules",
        "Profile",
        "Notes",
        "Saved facts",
        "What was said",
    ]
    links = re.findall(r'<a href="(/(?:memory|sessions)/[^"]+)">', shown.split('id="found"')[1])
    assert len(links) == 9
    for link in links:
        page = client.get(link.replace("&amp;", "&"))
        assert page.status_code == 200, link
        assert "trout" in page.content.decode().casefold(), link
        anchor = link.partition("#")[2]
        assert not anchor or f'id="{anchor}"' in page.content.decode(), link
    assert "<mark>Trout</mark> recipe" in shown


def test_a_hit_of_a_long_conversation_leads_to_its_line(client, alice):
    lines = [f"Word {number}." for number in range(60)]
    session = make_ended_session(alice.agent, [*lines, "The heron stood still.", "Bye."])
    link = re.findall(r'<a href="(/sessions/[^"]+)">', found(client, alice, "heron"))

    assert link == [f"/sessions/{session.pk}/?line=edge-61#line-edge-61"]
    page = client.get(link[0]).content.decode()
    (line,) = re.findall(
        r'<article id="line-edge-61" class="[^"]* source">.*?</article>', page, re.S
    )
    assert "The heron stood still." in line
    assert "Word 49." not in page
    for wrong in ("edge-0", "edge-99999", "x", "\0", "core-1", "edge-1 or"):
        assert client.get(link[0].partition("?")[0], {"line": wrong}).status_code == 200


def test_all_the_words_are_wanted_and_single_letters_are_none(client, alice):
    assert "They cooked a <mark>trout</mark>" in found(client, alice, "trout cooked").replace(
        "<mark>cooked</mark>", "cooked"
    )
    assert "Nothing that is remembered" in found(client, alice, "salmonella zebras")
    for words in ("", " ", "a b c", "\0", "x"):
        assert "Two letters are the least" in found(client, alice, words)


def test_stored_words_and_asked_words_never_run(client, alice):
    make_fact(alice, HOSTILE)

    for words in ("script", HOSTILE, "(.*+", "%_\\", "\ud83d\udc1f" * 300, "</mark>"):
        shown = found(client, alice, words.encode(errors="replace").decode())
        assert "<script>alert" not in shown
        assert "<img src=x" not in shown
    assert "&lt;<mark>script</mark>&gt;" in found(client, alice, "script")


def test_htmx_gets_what_was_found_alone(client, alice):
    part = found(client, alice, "trout", **{"HX-Request": "true"})

    assert 'id="found"' in part
    assert "<h1" not in part


def test_the_number_of_queries_does_not_grow(client, alice, django_assert_max_num_queries):
    for number in range(12):
        make_fact(alice, f"trout {number}")

    with django_assert_max_num_queries(22):
        shown = found(client, alice, "trout")
    assert "All of them" in shown


def test_nobody_searches_another_s(client, alice, porter):
    _, bob = make_person(porter, "bob")

    assert client.get(reverse("memory-search", args=(bob.pk,))).status_code == 404
