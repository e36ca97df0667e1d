"""What was superseded or evicted is in no turn and in no prompt."""

import pytest

from accounts.owners import resolve_owner
from knowledge.models import Fact, Rule
from recall.search.turn import load_turn
from tests.consolidation.learning.reconcile.candidates import commit, fact, says
from tests.knowledge.learned import added, changed, replaced, rule_fields


@pytest.fixture
def context(api, session):
    """Return the prompt of a question, as one text."""

    def ask(query: str) -> str:
        body = {"query": query, "max_tokens": 4_000}
        answer = api.post(f"/api/v1/sessions/{session.pk}/context", body, format="json")
        assert answer.status_code == 200, answer.content
        return answer.content.decode()

    return ask


@pytest.mark.requirement("OC-25")
def test_twenty_stale_and_five_active_facts_are_exactly_the_five(session, endpoint):
    for number in range(20):
        endpoint.script = [says("supersede", 0)] if number else []
        commit(session, fact(f"town {number}", f"My town is town {number}."), key=f"old-{number}")
    endpoint.script = [says("supersede", 0)] + [says("coexist")] * 4
    for number in range(5):
        commit(session, fact(f"city {number}", f"My town, city {number}."), key=f"new-{number}")

    found = load_turn(owner=session.owner, query="Which is my town?", is_first_turn=False)

    assert Fact.objects.count() == 25
    assert {getattr(entry, "object", "") for entry in found.entries} == {
        f"city {n}" for n in range(5)
    }


@pytest.mark.requirement("OC-25")
def test_a_superseded_fact_is_in_no_prompt(session, endpoint, context):
    commit(session, fact("Lyon", "I live in Lyon."))
    assert "I live in Lyon." in context("Where do I live?")
    endpoint.script = [says("supersede", 0)]

    commit(session, fact("Paris", "I live in Paris now."), key="turn-2")

    prompt = context("Where do I live?")
    assert "I live in Paris now." in prompt
    assert "Lyon" not in prompt


@pytest.mark.requirement("OC-50")
def test_an_evicted_and_a_replaced_rule_are_in_no_prompt(session, porter, context):
    owner = resolve_owner(agent=porter, user="alice")
    rules = [added("rule", rule_fields(f"You hum tune {n}.")) for n in range(100, 120)]
    changed(owner, *rules)
    assert "tune 100" in context("Hello?")
    heir = added("rule", rule_fields("You whistle."))
    changed(owner, heir, replaced(rules[1].target, heir.target, "rule"))

    changed(owner, added("rule", rule_fields("You sing.")))

    prompt = context("Hello?")
    assert "You whistle." in prompt
    assert "You sing." in prompt
    assert "tune 100" not in prompt
    assert "tune 101" not in prompt
    assert Rule.objects.count() == 22
