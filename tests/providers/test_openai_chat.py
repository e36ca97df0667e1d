"""A chat model behind an endpoint that may do anything."""

import logging
from dataclasses import replace

import pytest

from providers.answers import Contract, Facts
from providers.chat import Purpose
from providers.errors import (
    InputTooLong,
    ProviderFault,
    ProviderRefused,
    ProviderUnavailable,
    ReplyMalformed,
    ReplyRefused,
    RequestRejected,
)
from providers.openai_chat import OpenAIChat
from tests.providers.conftest import KEY, Waits
from tests.providers.fake_openai import FakeOpenAI
from tests.providers.tasks import make_task, user_said

PASSING = [
    *("408", "409", "500", "502", "503", "503-seconds", "redirect", "cut-body", "no-reply"),
    *("html", "not-json", "null", "no-choices", "odd-content", "huge", "compressed"),
]
REPAIRED = ["fenced", "wrapped", "thoughtful"]
MISFITS = [
    *("prose", "half", "wrong-fields", "extra-field", "list", "nul", "half-character"),
    *("deep", "empty", "no-content"),
]
PRIVATE = "I live where my private words are kept."


def facts_of(model: OpenAIChat) -> list[str]:
    value = model.complete(make_task()).value
    assert isinstance(value, Facts)
    return [fact.value for fact in value.facts]


def test_it_answers_from_what_it_was_shown(server: FakeOpenAI, chat: OpenAIChat) -> None:
    assert "I prefer short answers." in facts_of(chat)
    (asked,) = server.chats
    assert asked.path == "/v1/chat/completions"
    assert asked.authorization == f"Bearer {KEY}"
    assert (asked.body["model"], asked.body["max_tokens"]) == ("gpt-4.1-mini", 1_000)


@pytest.mark.parametrize("purpose", Purpose)
def test_it_sends_the_schema_of_the_answer(
    server: FakeOpenAI, chat: OpenAIChat, purpose: Purpose
) -> None:
    chat.complete(make_task(purpose))

    wanted = server.chats[0].body["response_format"]
    named = wanted["json_schema"]
    assert (wanted["type"], named["name"]) == ("json_schema", purpose.value)
    # A profile, and an update of it, have keys of the model's own making: no strict schema names them.
    assert named["strict"] is (purpose not in {Purpose.PROFILE, Purpose.INBOX})
    assert "Length" not in str(named["schema"])
    assert "default" not in str(named["schema"])


def test_a_contract_with_open_objects_is_sent_as_a_loose_schema(
    server: FakeOpenAI, chat: OpenAIChat
) -> None:
    class Scaffold(Contract):
        updated: dict[str, object]

    server.script = ["scaffold"]
    found = chat.complete(replace(make_task(), answer=Scaffold))

    assert found.value == Scaffold(updated={"city": "Lyon"})
    assert server.chats[0].body["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize("fault", PASSING)
def test_it_tries_again_after_one_two_and_four_seconds(
    server: FakeOpenAI, chat: OpenAIChat, waits: Waits, fault: str
) -> None:
    server.script = [fault] * 3

    assert facts_of(chat)
    assert len(server.chats) == 4
    assert all(
        base / 2 <= seconds <= base for base, seconds in zip([1, 2, 4], waits.seconds, strict=True)
    )


@pytest.mark.parametrize("fault", PASSING)
def test_it_gives_up_after_the_third_retry(
    server: FakeOpenAI, chat: OpenAIChat, fault: str
) -> None:
    server.script = [fault] * 4

    with pytest.raises(ProviderUnavailable) as caught:
        chat.complete(make_task())

    assert len(server.chats) == 4
    assert caught.value.counts_as_attempt


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_it_hangs_up_at_the_deadline(
    server: FakeOpenAI, chat: OpenAIChat, waits: Waits, fault: str
) -> None:
    server.script = [fault]

    with pytest.raises(ProviderUnavailable):
        chat.complete(make_task(), seconds=0.2)

    assert len(server.chats) == 1
    assert waits.seconds == []


def test_it_waits_for_a_retry_only_within_the_deadline(
    server: FakeOpenAI, chat: OpenAIChat, waits: Waits
) -> None:
    server.script = ["500"] * 3

    with pytest.raises(ProviderUnavailable):
        chat.complete(make_task(), seconds=1.6)

    # The test waits for no time at all, so a second wait of 1 to 2 s may or may not fit.
    assert 2 <= len(server.chats) <= 3
    assert sum(waits.seconds) <= 3.2


def test_it_asks_nobody_when_no_time_is_left(server: FakeOpenAI, chat: OpenAIChat) -> None:
    with pytest.raises(ProviderUnavailable, match="out of time"):
        chat.complete(make_task(), seconds=0.0)

    assert server.chats == []


@pytest.mark.parametrize(
    ("fault", "least", "most"),
    [("429-seconds", 7, 7), ("429-date", 50, 60), ("429-long", 300, 300)],
)
def test_a_rate_limit_says_how_long_to_wait_and_is_no_attempt(
    server: FakeOpenAI, chat: OpenAIChat, fault: str, least: float, most: float
) -> None:
    server.script = [fault]

    with pytest.raises(ProviderUnavailable) as caught:
        chat.complete(make_task())

    assert caught.value.retry_after is not None
    assert least <= caught.value.retry_after <= most
    assert not caught.value.counts_as_attempt
    assert len(server.chats) == 1


@pytest.mark.parametrize("fault", ["401", "403", "404"])
def test_it_does_not_repeat_what_was_refused(
    server: FakeOpenAI, chat: OpenAIChat, fault: str
) -> None:
    server.script = [fault]

    with pytest.raises(ProviderRefused):
        chat.complete(make_task())

    assert len(server.chats) == 1
    assert chat.breaker.is_open


def test_it_stops_asking_who_does_not_answer(server: FakeOpenAI, chat: OpenAIChat) -> None:
    server.script = ["500"] * 8
    for _ in range(2):
        with pytest.raises(ProviderUnavailable):
            chat.complete(make_task())

    with pytest.raises(ProviderUnavailable, match="breaker") as caught:
        chat.complete(make_task())

    assert len(server.chats) == 5
    assert not caught.value.counts_as_attempt


@pytest.mark.parametrize("fault", ["too-long", "too-long-in-words", "413"])
def test_it_says_when_the_texts_are_too_long(
    server: FakeOpenAI, chat: OpenAIChat, fault: str
) -> None:
    server.script = [fault]

    with pytest.raises(InputTooLong) as caught:
        chat.complete(make_task())

    assert caught.value.code == "input_too_long"
    assert len(server.chats) == 1


def test_a_reply_that_was_cut_may_be_twice_as_long(server: FakeOpenAI, chat: OpenAIChat) -> None:
    server.script = ["length"]

    assert facts_of(chat)
    assert [asked.body["max_tokens"] for asked in server.chats] == [1_000, 2_000]


def test_a_reply_that_is_cut_twice_is_malformed(server: FakeOpenAI, chat: OpenAIChat) -> None:
    server.script = ["length", "length"]

    with pytest.raises(ReplyMalformed, match="cut after 2000 tokens"):
        chat.complete(make_task())

    assert len(server.chats) == 2


@pytest.mark.parametrize("fault", ["refusal", "content-filter", "filtered-before"])
def test_a_refusal_is_not_repeated(server: FakeOpenAI, chat: OpenAIChat, fault: str) -> None:
    server.script = [fault]

    with pytest.raises(ReplyRefused) as caught:
        chat.complete(make_task())

    assert caught.value.code == "reply_refused"
    assert len(server.chats) == 1
    assert not chat.breaker.is_open


@pytest.mark.parametrize("fault", REPAIRED)
def test_it_finds_the_answer_among_other_words(
    server: FakeOpenAI, chat: OpenAIChat, fault: str
) -> None:
    server.script = [fault]

    assert facts_of(chat)
    assert len(server.chats) == 1


@pytest.mark.parametrize("fault", MISFITS)
def test_a_reply_that_does_not_fit_is_asked_for_once_more(
    server: FakeOpenAI, chat: OpenAIChat, fault: str
) -> None:
    server.script = [fault]

    assert facts_of(chat)
    first, second = server.chats
    assert second.texts[:2] == first.texts
    assert [message["role"] for message in second.body["messages"][2:]] == ["assistant", "user"]
    assert "does not fit" in second.texts[-1]


def test_the_second_question_names_what_is_wrong(server: FakeOpenAI, chat: OpenAIChat) -> None:
    server.script = ["wrong-fields"]

    chat.complete(make_task())

    assert "facts: Field required" in server.chats[1].texts[-1]


@pytest.mark.parametrize("fault", MISFITS)
def test_a_reply_that_never_fits_is_malformed_and_nothing_else(
    server: FakeOpenAI, chat: OpenAIChat, fault: str
) -> None:
    server.script = [fault] * 2

    with pytest.raises(ReplyMalformed) as caught:
        chat.complete(make_task())

    assert caught.value.code == "reply_malformed"
    assert len(server.chats) == 2
    assert not chat.breaker.is_open


def test_a_task_takes_at_most_one_longer_and_one_corrected_reply(
    server: FakeOpenAI, chat: OpenAIChat
) -> None:
    server.script = ["length", "prose"]

    completion = chat.complete(make_task())

    assert len(server.chats) == 3
    assert (completion.prompt_tokens, completion.completion_tokens) == (33, 21)


def test_an_endpoint_without_schemas_is_asked_for_an_object_from_then_on(
    server: FakeOpenAI, chat: OpenAIChat
) -> None:
    server.script = ["no-schemas"] * 3

    assert facts_of(chat) == facts_of(chat)
    assert [asked.format for asked in server.chats] == ["json_schema", "json_object", "json_object"]


def test_a_model_with_another_name_for_the_limit_is_asked_in_its_words(
    server: FakeOpenAI, chat: OpenAIChat
) -> None:
    server.script = ["new-limit"]

    assert facts_of(chat)
    assert "max_tokens" not in server.chats[1].body
    assert server.chats[1].body["max_completion_tokens"] == 1_000
    assert server.chats[1].format == "json_schema"


@pytest.mark.parametrize("fault", ["400", "422", "new-limit"])
def test_what_is_rejected_in_every_form_is_not_asked_again(
    server: FakeOpenAI, chat: OpenAIChat, fault: str
) -> None:
    server.script = [fault] * 4

    with pytest.raises(RequestRejected) as caught:
        chat.complete(make_task())

    assert caught.value.code == "request_rejected"
    assert len(server.chats) == (3 if fault == "new-limit" else 2)


@pytest.mark.parametrize(
    "fault",
    [*("400", "401", "429", "500", "html", "too-long"), *("refusal", "content-filter"), *MISFITS],
)
def test_no_failure_repeats_a_text_or_the_key(
    server: FakeOpenAI, chat: OpenAIChat, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    caplog.set_level(logging.INFO)
    server.script = [fault] * 4

    with pytest.raises(ProviderFault) as caught:
        chat.complete(make_task(lines=user_said(PRIVATE)))

    said = f"{caught.value!r} {caught.value.__cause__!r} {caplog.text}"
    assert "private" not in said
    assert KEY not in said


def test_it_is_unavailable_where_nobody_listens(waits: Waits) -> None:
    chat = OpenAIChat(api_key="", base_url="http://127.0.0.1:9/v1", sleep=waits)

    with pytest.raises(ProviderUnavailable):
        chat.complete(make_task())
