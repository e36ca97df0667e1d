"""The chat model made of rules."""

import pytest

from extraction.rules.model import NOTHING, OfflineChat
from providers.answers import SUMMARY_CHARACTERS, Delta, Facts, MemoryDelta, SessionSummary, Summary
from providers.chat import Line, Purpose, Task
from providers.errors import ReplyMalformed
from ranking.passages import size
from tests.providers.tasks import make_task, user_said

KNOWN = "Alice keeps bees."


def summary_of(lines: list[Line], known: str = "") -> str:
    value = OfflineChat().complete(make_task(Purpose.SUMMARY, lines, known)).value
    assert isinstance(value, Summary)
    return value.summary


def delta_of(lines: list[Line], known: str = "") -> MemoryDelta:
    value = OfflineChat().complete(make_task(Purpose.MEMORY_DELTA, lines, known)).value
    assert isinstance(value, Delta)
    return value.memory_delta


def test_it_says_the_same_every_time() -> None:
    for purpose in Purpose:
        task = make_task(purpose)
        assert OfflineChat().complete(task) == OfflineChat().complete(task)


def test_a_summary_begins_with_what_was_known() -> None:
    assert summary_of(user_said("The hive is full."), KNOWN) == f"{KNOWN}\nUser: The hive is full."


def test_a_summary_keeps_within_its_words() -> None:
    lines = user_said(*(f"Hive number {place} is full of bees today." for place in range(500)))

    assert size(summary_of(lines, "Bees fly far. " * 500)) <= 210


def test_a_summary_of_nothing_says_so() -> None:
    assert summary_of([]) == NOTHING


def test_a_summary_of_endless_words_is_bounded() -> None:
    assert len(summary_of(user_said(*("x" * 5_000 + str(n) for n in range(300))))) <= (
        SUMMARY_CHARACTERS
    )


def test_a_session_is_summarised_alike() -> None:
    value = OfflineChat().complete(make_task(Purpose.SESSION_SUMMARY)).value

    assert isinstance(value, SessionSummary)
    assert "We decided to use PostgreSQL" in value.summary


def test_a_delta_adds_what_was_said_and_its_facts() -> None:
    delta = delta_of(user_said("I live in Lyon.", "Fine."), KNOWN)

    assert (delta.mode, delta.summary_update) == ("append", "User: I live in Lyon. Fine.")
    assert delta.add_references == ["ev-0", "ev-1"]
    assert [(fact.key, fact.source_event) for fact in delta.add_fact] == [("live", "ev-0")]
    assert (delta.remove_references, delta.remove_fact) == ([], [])


def test_a_summary_that_has_grown_long_is_written_anew() -> None:
    delta = delta_of(user_said("The hive is full."), "Bees fly far and wide. " * 100)

    assert delta.mode == "overwrite"
    assert delta.summary_update == "Bees fly far and wide.\nUser: The hive is full."


def test_a_contract_it_has_no_rule_for_fails_as_a_bad_reply_does() -> None:
    with pytest.raises(ReplyMalformed, match="Summary"):
        OfflineChat().complete(Task(Purpose.FACTS, "1", "", [], Summary))


def test_what_it_finds_has_the_lines_it_was_found_in() -> None:
    value = OfflineChat().complete(make_task()).value

    assert isinstance(value, Facts)
    assert [(fact.source_event, fact.value) for fact in value.facts] == [
        ("ev-1", "I am Alice and I live in Lyon."),
        ("ev-3", "We decided to use PostgreSQL for the garden app."),
        ("ev-3", "I prefer short answers."),
    ]
