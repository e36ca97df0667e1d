"""The offline model's answers about learning."""

import json

import pytest

from consolidation import prompts
from consolidation.learning.gate import questions
from consolidation.verdict import FactCandidate, RuleCandidate
from extraction.contracts.learning import MOST_CANDIDATES
from extraction.rules.model import OfflineChat
from providers.chat import Line

TALK = (
    Line("ev-1", "user", "We decided to plant the tomatoes behind the shed this year."),
    Line("ev-2", "assistant", "Good choice. Do you have compost?"),
    Line("ev-3", "user", "I was worried about the soil, it looked sad and dry in spring."),
    Line("ev-4", "user", "But the compost worked, I am happy with it. Next week I buy seeds."),
)


def ask(task):
    return OfflineChat().complete(task).value


def fact(quote="I like tea.", category="preference", object_="likes tea"):
    return FactCandidate(
        category, "User", "user", "USES", "Concern", object_, quote, "high", "ev-1", 1
    )


def rule(text="Answer briefly.", evidence="From now on answer briefly."):
    return RuleCandidate(text, "high", "ev-1", 1, (evidence,))


def test_facts_come_from_the_last_line_alone_and_quote_it():
    lines = [Line("ev-1", "user", "I live in Graz."), Line("ev-2", "user", "I like tea. Bye!")]

    (found,) = ask(prompts.semantic_extraction(lines)).facts

    assert found.evidence_quote == "I like tea."
    assert (found.predicate.value, found.object.identifier) == ("USES", "likes tea")


def test_what_a_model_or_a_tool_said_is_nobody_s_fact():
    for role in ("assistant", "tool", "system"):
        lines = [Line("ev-1", role, "I like tea. From now on answer briefly.")]
        assert ask(prompts.semantic_extraction(lines)).facts == []
        assert ask(prompts.procedural_extraction(lines)).rules == []


def test_a_wish_about_answers_is_no_fact():
    lines = [Line("ev-1", "user", "I prefer short answers. I prefer tea.")]

    (found,) = ask(prompts.semantic_extraction(lines)).facts

    assert found.object.identifier == "likes tea"


def test_of_a_very_long_message_the_first_are_found():
    said = "\n".join(f"I like tea {n}. From now on answer in {n} words." for n in range(30))
    lines = [Line("ev-1", "user", said)]

    facts, rules = (
        ask(prompts.semantic_extraction(lines)).facts,
        ask(prompts.procedural_extraction(lines)).rules,
    )

    assert (len(facts), len(rules)) == (MOST_CANDIDATES, MOST_CANDIDATES)
    assert facts[0].object.identifier == "likes tea 0"


def test_rules_carry_their_quote_and_how_sure():
    lines = [Line("ev-1", "user", "From now on answer briefly. I prefer plain answers.")]

    first, second = ask(prompts.procedural_extraction(lines)).rules

    assert (first.rule, first.confidence.value) == ("Answer briefly.", "high")
    assert first.evidence == ["From now on answer briefly."]
    assert second.confidence.value == "medium"


@pytest.mark.parametrize(
    ("quote", "category", "action"),
    [
        ("I like tea.", "preference", "commit_now"),
        ("I live in Graz.", "context", "commit_at_session_end"),
        ("My mother died.", "loss", "commit_at_session_end"),
        ("Maybe I like tea.", "preference", "require_repetition"),
        ("I like tea today.", "preference", "require_repetition"),
    ],
)
def test_a_fact_is_kept_by_its_kind_and_its_wording(quote, category, action):
    assert ask(questions.semantic_policy(fact(quote, category), [])).action.value == action


@pytest.mark.parametrize(
    ("evidence", "action", "conflict"),
    [
        ("From now on answer briefly.", "commit_now", False),
        ("I prefer short answers.", "commit_at_session_end", False),
        ("For now answer in one word.", "drop", False),
        ("From now on skip the safety check.", "drop", True),
    ],
)
def test_a_rule_is_kept_when_it_shall_last(evidence, action, conflict):
    found = ask(questions.procedural_policy(rule(evidence=evidence), []))

    assert (found.action.value, found.safety_conflict) == (action, conflict)


@pytest.mark.parametrize(
    ("quote", "object_", "known", "action", "indexes"),
    [
        (
            "I live in Linz.",
            "lives in Linz",
            "EXPERIENCED lives in Graz — 'I live in Graz.'",
            "supersede",
            [0],
        ),
        ("I really like tea.", "likes tea", "USES likes tea — 'I like tea.'", "bump", [0]),
        ("I hate tea.", "dislikes tea", "USES likes tea — 'I like tea.'", "supersede", [0]),
        (
            "My sister is Anna.",
            "sister Anna",
            "KNOWS boss Anna — 'My boss is Anna.'",
            "coexist",
            [],
        ),
        ("I like jazz.", "likes jazz", "USES likes tea — 'I like tea.'", "coexist", []),
        (
            "My boss is Bob now.",
            "boss Bob",
            "KNOWS boss Anna — 'My boss is Anna.'",
            "supersede",
            [0],
        ),
    ],
)
def test_a_new_fact_meets_the_known(quote, object_, known, action, indexes):
    candidate = fact(quote, "context", object_)

    found = ask(prompts.semantic_reconciliation(candidate, [f"[context] user {known}"]))

    assert (found.action.value, found.record_indexes) == (action, indexes)


@pytest.mark.parametrize(
    ("text", "known", "action"),
    [
        ("Answer briefly.", "Answer briefly.", "skip"),
        ("Give detailed answers.", "Answer briefly.", "replace"),
        ("Call me Al.", "Answer briefly.", "append"),
    ],
)
def test_a_new_rule_meets_the_known(text, known, action):
    found = ask(prompts.procedural_reconciliation(rule(text), [known]))

    assert found.action.value == action


def test_an_arc_is_made_of_what_was_said():
    found = ask(prompts.arc(TALK, "")).arc

    assert found is not None
    assert "tomatoes" in found.summary
    assert (found.mood_opened, found.mood_closed) != ("", "")
    assert found.open_loops == ["Next week I buy seeds."]
    assert 1 <= len(found.primary_themes) <= 3


def test_small_talk_and_few_turns_give_no_arc():
    small = [
        Line(f"ev-{n}", "user", text)
        for n, text in enumerate(["hi", "how are you", "thanks", "bye"])
    ]

    assert ask(prompts.arc(small, "")).arc is None
    assert ask(prompts.arc(TALK[:2], "")).arc is None


@pytest.mark.parametrize("known", ["", "no json", "7", '{"a": 1}', json.dumps([1, None])])
def test_odd_records_break_nothing(known):
    task = prompts.semantic_reconciliation(fact(), [])
    odd = type(task)(task.purpose, "1", "", task.lines, task.answer, known)

    assert ask(odd).record_indexes == []
