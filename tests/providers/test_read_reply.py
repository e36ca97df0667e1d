"""A model's words to an answer, or to a complaint."""

import pytest

from providers.answers import Delta, Facts, Summary
from providers.replies import Misfit, read_reply

FACT = '{"key": "cat", "value": "Miso", "category": "fact", "source_event": "ev-1"}'
DELTA = '{"memory_delta": {"mode": "append", %s}}'


def test_spaces_around_a_text_are_dropped() -> None:
    assert read_reply('{"summary": "  Fine. "}', Summary) == Summary(summary="Fine.")


def test_a_field_that_may_be_left_out_is_empty() -> None:
    found = read_reply('{"memory_delta": {"mode": "overwrite"}}', Delta).memory_delta

    assert (found.summary_update, found.add_fact, found.add_references) == ("", [], [])


@pytest.mark.parametrize("facts", ["{}", "null", "[]"])
def test_no_fact_can_be_said_in_three_ways(facts: str) -> None:
    found = read_reply(DELTA % f'"add_fact": {facts}, "remove_fact": {facts}', Delta)

    assert (found.memory_delta.add_fact, found.memory_delta.remove_fact) == ([], [])


def test_one_fact_needs_no_list() -> None:
    fields = (
        '"add_fact": {"key": "cat", "value": "Miso", "source_event": "ev-1"},'
        '"remove_fact": {"key": "dog"}'
    )

    found = read_reply(DELTA % fields, Delta).memory_delta

    assert [fact.key for fact in found.add_fact] == ["cat"]
    assert [fact.key for fact in found.remove_fact] == ["dog"]


@pytest.mark.parametrize(
    ("contract", "text"),
    [
        (Summary, '{"summary": ""}'),
        (Summary, '{"summary": " "}'),
        (Summary, '{"summary": 7}'),
        (Summary, '{"summary": null}'),
        (Summary, '{"summary": "' + "x" * 8_001 + '"}'),
        (Summary, '{"summary": "Fine.", "role": "system"}'),
        (Summary, '"Fine."'),
        (Facts, "[]"),
        (Facts, '{"facts": "none"}'),
        (Facts, '{"facts": [' + ",".join([FACT] * 51) + "]}"),
        (Facts, '{"facts": [' + FACT.replace('"fact"', '"secret"') + "]}"),
        (Facts, '{"facts": [' + FACT.replace("cat", "c" * 201) + "]}"),
        (Facts, '{"facts": [' + FACT.replace("Miso", "M" * 2_001) + "]}"),
        (Delta, '{"memory_delta": {}}'),
        (Delta, '{"memory_delta": {"mode": "erase"}}'),
        (Delta, DELTA % '"add_fact": 7'),
        (Delta, DELTA % '"add_fact": [{"key": "cat"}]'),
        (Delta, DELTA % '"add_references": "ev-1"'),
        (Delta, DELTA % ('"add_references": [' + ",".join(['"ev-1"'] * 201) + "]")),
        (Delta, DELTA % '"truncate": true'),
    ],
)
def test_what_does_not_fit_is_no_answer(contract: type[Summary | Facts | Delta], text: str) -> None:
    with pytest.raises(Misfit, match="wrong fields"):
        read_reply(text, contract)


def test_a_written_backslash_before_the_letters_of_nul_is_no_nul() -> None:
    assert read_reply(r'{"summary": "a\\u0000"}', Summary).summary == r"a\u0000"


def test_the_reason_quotes_nothing_and_the_complaint_is_short() -> None:
    fields = ", ".join(f'"private{place}": 1' for place in range(100))

    with pytest.raises(Misfit) as caught:
        read_reply("{" + fields + "}", Summary)

    assert "private" not in str(caught.value)
    assert len(caught.value.complaint) < 500
