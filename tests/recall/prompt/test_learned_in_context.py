import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.ids import new_id
from consolidation.intake.accept import accept_events
from knowledge.models import Rule
from memory.tokenizer import count_message
from providers.quoting import visible
from recall.models import Receipt
from recall.prompt.assembly import assemble_context
from recall.prompt.blocks.learned import RECALL_OFF, format_entry, rules_block, shown
from recall.search.turn import EpisodicEntry, SemanticEntry
from tests.contracts.stores import arc, fact, rule
from tests.factories import make_ended_session, make_session, said
from tests.recall.learned import keep, owner_of, switch_recall_on


@pytest.fixture
def alice(porter):
    return owner_of(porter)


def prompt_for(agent, text="my boss called", **options):
    session = make_session(agent)
    accept_events(agent=agent, session=session, drafts=[said(text)])
    return assemble_context(session=session, **options)


def contents(prompt) -> list[str]:
    return [str(message["content"]) for message in prompt.messages]


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


WORRY = SemanticEntry(
    id=new_id(),
    category="relationship",
    subject_type="User",
    subject="alice",
    predicate="WORRIES_ABOUT",
    object_type="Concern",
    object="work",
    evidence_quote="my boss is terrible",
    source_class="user_direct",
    score=1.0,
)


@pytest.mark.requirement("OC-38")
def test_a_fact_is_worded_as_category_triple_and_quote():
    assert format_entry(WORRY) == "[relationship] User WORRIES_ABOUT work — 'my boss is terrible'"
    other = replace(WORRY, subject_type="Person", subject="bob", predicate="KNOWS", object="cello")
    assert format_entry(other) == "[relationship] bob KNOWS cello — 'my boss is terrible'"


@pytest.mark.requirement("OC-01")
def test_facts_arcs_and_rules_of_earlier_sessions_are_in_the_prompt_in_their_order(porter, alice):
    switch_recall_on(alice)
    make_ended_session(porter, ["My boss keeps a parrot."])
    keep(
        alice, fact("my boss is terrible"), arc("Talked of the boss."), rule("Answer in one line.")
    )

    behaviour, *memories, question = contents(prompt_for(porter))
    memory = "\n\n".join(memories)

    assert (behaviour, question) == ("Be brief.", "my boss called")
    learned, retrieved = memory.split("Relevant Retrieved Facts")
    asked, session, known = lines(learned)
    assert asked == {"rule": "Answer in one line."}
    assert session["session"] == "Talked of the boss."
    assert known == {
        "fact": "[relationship] User WORRIES_ABOUT work — 'my boss is terrible'",
        "source": "user_direct",
    }
    assert "My boss keeps a parrot." in retrieved
    assert RECALL_OFF not in memory


@pytest.mark.requirement("OC-72")
def test_recall_is_off_by_default_and_then_the_prompt_says_so_and_keeps_the_rules(porter, alice):
    keep(alice, fact("my boss is terrible"), rule("Answer in one line."))

    text = "\n\n".join(contents(prompt_for(porter))[1:-1])

    rules, off, memory = text.partition(RECALL_OFF)
    assert off
    assert "my boss is terrible" in memory
    assert "Answer in one line." in rules


def test_without_a_memory_there_is_nothing_to_say_of_recall(porter):
    behaviour, clock, words = contents(prompt_for(porter))

    assert (behaviour, words) == ("Be brief.", "my boss called")
    assert re.fullmatch(r"Time: \d{4}-\d\d-\d\dT\d\d:\d\dZ", clock)


def test_a_rule_that_no_longer_counts_is_not_in_the_next_prompt(porter, alice):
    keep(alice, rule("Answer in verse.", superseded_by="eviction"), rule("Answer in one line."))

    text = "".join(contents(prompt_for(porter)))

    assert "one line" in text
    assert "verse" not in text


def test_the_receipt_names_what_was_used_and_what_had_no_room(porter, alice):
    keep(alice, fact("my boss is terrible"), arc("Talked of the boss."), rule("Be short."))

    used = Receipt.objects.get(pk=prompt_for(porter).receipt)
    cut = Receipt.objects.get(pk=prompt_for(porter, max_tokens=60).receipt)

    assert {item["store"] for item in used.items} == {"facts", "arcs", "rules"}
    assert "boss" not in json.dumps(used.items)
    assert {item["store"] for item in cut.left_out} == {"facts", "arcs", "rules"}
    assert cut.items == []


def test_the_receipt_names_no_passage_that_had_no_room(porter):
    make_ended_session(porter, ["My boss keeps a parrot. " * 40])

    receipt = Receipt.objects.get(pk=prompt_for(porter, max_tokens=80).receipt)

    assert (receipt.items, len(receipt.left_out) > 0) == ([], True)


def test_of_too_many_rules_the_newest_stay_in_the_order_they_were_added(porter, alice):
    keep(alice, *[rule(f"Rule number {number} " + "x " * 60) for number in range(20)])

    prompt = prompt_for(porter, max_tokens=1_000)

    shown = re.findall(r"Rule number (\d+)", contents(prompt)[1])
    assert shown == [str(number) for number in range(20 - len(shown), 20)]
    assert 0 < len(shown) < 20


@pytest.mark.parametrize("budget", [30, 60, 120, 300, 900])
def test_memory_never_makes_a_prompt_exceed_its_budget(porter, alice, budget):
    keep(alice, *[rule(f"Rule {number} of the boss") for number in range(20)])
    keep(alice, *[fact(f"boss {number}") for number in range(20)], arc("the boss"))

    prompt = prompt_for(porter, max_tokens=budget)

    assert prompt.tokens <= budget
    assert sum(count_message(text) for text in contents(prompt)) <= budget
    assert contents(prompt)[-1] == "my boss called"


@settings(max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200))
def test_no_rule_can_leave_its_envelope(text):
    block = rules_block([Rule(text=text)], 10_000)

    tag = block.text.split("\n")[1].removeprefix("<")
    assert tag.startswith("rules-")
    assert block.text.count(f"</{tag}") == 1
    assert lines(block.text.split("\n")[2]) == [{"rule": visible(text)}]


def test_the_answer_of_the_api_tells_how_the_turn_was_reminded(api, porter, alice):
    keep(alice, fact("my boss is terrible"))
    session = make_session(porter)
    accept_events(agent=porter, session=session, drafts=[said("my boss called")])

    turn = api.post(f"/api/v1/sessions/{session.pk}/context", {}, format="json").json()["turn"]

    assert turn["entries"][0]["evidence_quote"] == "my boss is terrible"
    assert turn["diagnostics"]["retrieval_path"] == "token_recall"


def test_what_a_session_left_open_is_named_for_a_month():
    def opened(days: int) -> EpisodicEntry:
        return EpisodicEntry(
            id=new_id(),
            session=new_id(),
            summary="Talked of the roof.",
            themes=(),
            mood_opened="",
            mood_closed="",
            open_loops=("find a roofer",),
            ended_at=timezone.now() - timedelta(days=days),
            source_class="agent_inference",
            score=1.0,
        )

    assert shown(opened(29))["open"] == ["find a roofer"]
    assert "open" not in shown(opened(31))
