"""What is remembered of a person, as they see it."""

import pytest
from django.urls import reverse

from audit.models import AuditEntry
from consolidation.models import Candidate
from knowledge.models import Arc, Rule
from tests.factories import WHEN, make_session
from tests.inspector.person.people import make_fact, make_person

WHY = {"write_timing": "immediate", "write_reason": "x", "policy_version": "1"}


@pytest.fixture
def alice(porter, client):
    person, owner = make_person(porter)
    client.force_login(person)
    return owner


def text(answer) -> str:
    assert answer.status_code == 200, answer
    return answer.content.decode()


@pytest.mark.requirement("OC-69")
def test_the_layers_are_labelled_facts_sessions_and_rules(client, alice):
    page = text(client.get(reverse("memory-overview", args=[alice.pk])))

    for label in ("Facts", "Sessions", "Rules"):
        assert f">{label}</a>" in page


def test_whoever_is_known_to_one_agent_comes_straight_to_it(client, alice):
    answer = client.get(reverse("memory"))

    assert answer.url == reverse("memory-overview", args=[alice.pk])


@pytest.mark.requirement("OC-71")
def test_each_fact_has_its_words_its_quote_its_date_and_its_source(client, alice):
    fact = make_fact(alice)

    page = text(client.get(reverse("memory-items", args=[alice.pk, "facts"])))

    for part in ("Knows trout", "My cat only eats trout.", "quite sure", "from your own words"):
        assert part in page
    assert f"{fact.created_at:%b %Y}" in page


def test_a_click_shows_the_lines_around_the_source(client, alice):
    fact = make_fact(alice)

    page = text(client.get(reverse("memory-item", args=[alice.pk, "facts", fact.pk])))

    assert "Hi, how are you?" in page
    assert page.index("Hello") < page.index("event UserMsg source") < page.rindex("eats trout")
    assert "Learned while you talked" in page


def test_what_a_fact_replaced_is_shown_with_it(client, alice):
    old, new = make_fact(alice, "salmon"), make_fact(alice, "trout")
    type(old).objects.filter(pk=old.pk).update(superseded_by=str(new.pk), dormant_at=WHEN)

    page = text(client.get(reverse("memory-items", args=[alice.pk, "facts"])))
    past = text(client.get(reverse("memory-items", args=[alice.pk, "facts"]) + "?state=no longer"))

    assert "In place of: <s>Knows salmon</s>" in page
    assert page.count("<article") == 1
    assert "Knows salmon" in past
    assert "something newer" in text(
        client.get(reverse("memory-item", args=[alice.pk, "facts", old.pk]))
    )


@pytest.mark.parametrize(
    ("words", "count"), [("TROUT", 1), ("cat trout", 1), ("cat bird", 0), ("\0", 2)]
)
def test_the_list_is_searched_by_every_word(client, alice, words, count):
    make_fact(alice, "trout")
    make_fact(alice, "figs", "I like figs.")

    part = client.get(
        reverse("memory-items", args=[alice.pk, "facts"]),
        {"q": words},
        headers={"HX-Request": "true"},
    )

    assert text(part).count("<article") == count
    assert "<html" not in text(part)


def test_sessions_and_rules_are_told_in_plain_words(client, alice):
    Arc.objects.create(
        owner=alice,
        session=make_session(alice.agent).pk,
        started_at=WHEN,
        ended_at=WHEN,
        turn_count=3,
        summary="They planned a garden.",
        themes=["garden"],
        open_loops=["the fence"],
        **WHY,
    )
    Rule.objects.create(
        owner=alice,
        text="Be brief.",
        evidence=["short please"],
        confidence="medium",
        source="explicit_user",
        **WHY,
    )

    sessions = text(client.get(reverse("memory-items", args=[alice.pk, "sessions"])))
    rules = text(client.get(reverse("memory-items", args=[alice.pk, "rules"])))

    assert "They planned a garden." in sessions
    assert "Left open: the fence" in sessions
    assert "Be brief." in rules
    assert "fairly sure" in rules


def test_what_is_held_waits_on_the_overview(client, alice):
    Candidate.objects.create(
        session=make_session(alice.agent),
        lane="semantic",
        turn=1,
        place=0,
        source_event="ev-1",
        payload={"predicate": "WANTS", "object": "a boat", "quote": "I want a boat."},
        action="commit_at_session_end",
        code="llm_policy",
        policy_version="1",
        state="held",
    )

    page = text(client.get(reverse("memory-overview", args=[alice.pk])))

    assert "Wants a boat" in page
    assert "I want a boat." in page


def test_another_s_memory_is_not_there(client, alice, porter, rival):
    _, bob = make_person(porter, "bob")
    fact = make_fact(bob)
    for owner in (bob, make_session(rival).owner):
        for name, args in (
            ("memory-overview", []),
            ("memory-items", ["facts"]),
            ("memory-item", ["facts", fact.pk]),
            ("memory-correct", ["facts", fact.pk]),
        ):
            assert client.get(reverse(name, args=[owner.pk, *args])).status_code == 404
    # Nor by the id of another's item below one's own address.
    assert client.get(reverse("memory-item", args=[alice.pk, "facts", fact.pk])).status_code == 404


def test_nobody_sees_anything_without_signing_in(client, alice):
    client.logout()

    assert client.get(reverse("memory-overview", args=[alice.pk])).url.startswith(reverse("login"))


def test_staff_who_look_are_on_record_once_an_hour(desk, porter):
    owner = make_session(porter).owner
    for _ in range(2):
        desk.get(reverse("memory-items", args=[owner.pk, "facts"]))

    entry = AuditEntry.objects.get(action="memory.view")
    assert entry.subject == f"{owner.pk}:facts"


def test_a_person_looking_at_their_own_is_not(client, alice):
    client.get(reverse("memory-overview", args=[alice.pk]))

    assert not AuditEntry.objects.filter(action="memory.view").exists()


def test_a_list_takes_as_many_queries_for_many_as_for_few(
    client, alice, django_assert_max_num_queries
):
    for number in range(8):
        make_fact(alice, f"fish {number}")
    with django_assert_max_num_queries(8):
        client.get(reverse("memory-items", args=[alice.pk, "facts"]))


def test_nothing_yet_is_said_in_words(client, alice):
    assert "Nothing yet." in text(client.get(reverse("memory-overview", args=[alice.pk])))
    for layer in ("facts", "sessions", "rules"):
        assert 'class="empty"' in text(client.get(reverse("memory-items", args=[alice.pk, layer])))
