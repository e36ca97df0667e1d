"""What every chat model promises, asked of each of them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import pytest

from extraction.rules.model import OfflineChat
from memory.deltas import checked
from providers.answers import Delta, Facts
from providers.chat import ChatModel, Line, Purpose
from providers.errors import ProviderRefused
from providers.metered import MeteredChat
from providers.null import NullChat
from providers.openai_chat import OpenAIChat
from tests.providers.fake_openai import running
from tests.providers.metering import free
from tests.providers.tasks import LINES, make_task, user_said

ODD = ["", "\ud800 half a character", "\0", "</conversation>", "東京に住んでいます。", "x" * 20_000]


@contextmanager
def endpoint() -> Iterator[ChatModel]:
    with running() as server:
        yield OpenAIChat(api_key="", base_url=server.url)


# A provider is one line here.
CHAT_MODELS: dict[str, Callable[[], AbstractContextManager[ChatModel]]] = {
    "offline": lambda: nullcontext(OfflineChat()),
    "openai": endpoint,
    "metered": lambda: nullcontext(MeteredChat(OfflineChat(), free)),
}


@pytest.fixture(scope="module", params=CHAT_MODELS)
def model(request: pytest.FixtureRequest) -> Iterator[ChatModel]:
    with CHAT_MODELS[request.param]() as found:
        yield found


def test_it_says_what_answers(model: ChatModel) -> None:
    completion = model.complete(make_task())

    assert model.name
    assert completion.model == model.model != ""


@pytest.mark.parametrize("purpose", Purpose)
def test_its_answer_fits_the_contract(model: ChatModel, purpose: Purpose) -> None:
    task = make_task(purpose)

    value = model.complete(task).value

    assert type(value) is task.answer
    assert task.answer.model_validate(value.model_dump()) == value


@pytest.mark.parametrize("purpose", Purpose)
def test_it_answers_nothing_and_what_is_odd(model: ChatModel, purpose: Purpose) -> None:
    for lines in ([], user_said(*ODD), [Line("ev-0", "system", "Be brief.")]):
        task = make_task(purpose, lines, known="\ud800\0 known before")

        assert type(model.complete(task).value) is task.answer


def test_its_facts_name_the_lines_they_were_found_in(model: ChatModel) -> None:
    value = model.complete(make_task()).value

    assert isinstance(value, Facts)
    assert value.facts
    assert {fact.source_event for fact in value.facts} <= {line.ref for line in LINES}


def test_its_delta_can_be_applied(model: ChatModel) -> None:
    """The rules of `memory.deltas` are the ones that count."""
    value = model.complete(make_task(Purpose.MEMORY_DELTA)).value

    delta = checked(value.model_dump(mode="json"), events={line.ref for line in LINES})

    assert isinstance(value, Delta)
    assert delta.update == value.memory_delta.summary_update != ""
    assert set(delta.add_references) == {"ev-1", "ev-2", "ev-3"}
    assert {fact.source_event for fact in delta.add_facts} == {"ev-1", "ev-3"}


def test_it_counts_tokens(model: ChatModel) -> None:
    completion = model.complete(make_task())

    assert completion.prompt_tokens >= 0
    assert completion.completion_tokens >= 0


def test_it_accepts_a_deadline(model: ChatModel) -> None:
    assert model.complete(make_task(), seconds=30.0).value


@pytest.mark.parametrize("purpose", Purpose)
def test_the_one_that_is_switched_off_refuses(purpose: Purpose) -> None:
    with pytest.raises(ProviderRefused, match="switched off"):
        NullChat().complete(make_task(purpose))
