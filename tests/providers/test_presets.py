"""Endpoints by name, each asked as it takes it, and chat and vectors apart."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from providers.places import OPENAI, chat_place, embedding_place
from providers.presets import PRESETS, WITH_VECTORS
from providers.registry import chat_model, embedder, embedder_named
from tests.providers.fake_openai import FakeOpenAI, running
from tests.providers.tasks import make_task

NAMED = [name for name in PRESETS if name]


@pytest.fixture(autouse=True)
def _afresh(settings: Settings) -> Iterator[None]:
    settings.METER = "tests.providers.metering.free"
    settings.EMBEDDER = settings.CHAT = "openai"
    settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    for found in (embedder, embedder_named, chat_model):
        found.cache_clear()
    yield
    for found in (embedder, embedder_named, chat_model):
        found.cache_clear()


@pytest.mark.parametrize("name", NAMED)
def test_each_preset_s_chat_is_asked_in_words_that_its_endpoint_takes(
    settings: Settings, server: FakeOpenAI, name: str
) -> None:
    server.behaves_as = name
    settings.CHAT_PROVIDER, settings.CHAT_URL = name, server.url
    settings.OPENAI_CHAT_MODEL = PRESETS[name].chat_model

    completion = chat_model().complete(make_task())

    assert completion.model == PRESETS[name].chat_model
    assert (len(server.chats), server.rejected) == (1, 0)


@pytest.mark.parametrize("name", [name for name in WITH_VECTORS if name])
def test_each_preset_s_vectors_are_asked_for_in_words_that_its_endpoint_takes(
    settings: Settings, server: FakeOpenAI, name: str
) -> None:
    server.behaves_as = name
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_URL = name, server.url
    settings.OPENAI_EMBEDDING_DIMENSION = PRESETS[name].dimension

    (vector,) = embedder().embed(["garden"])

    assert vector is not None
    assert vector.shape == (PRESETS[name].dimension,)
    assert server.rejected == 0


def test_chat_and_vectors_go_to_two_endpoints_each_with_its_own_key(
    settings: Settings, server: FakeOpenAI
) -> None:
    with running() as other:
        settings.CHAT_URL, settings.CHAT_KEY = server.url, "sk-of-chat"
        settings.EMBEDDING_URL, settings.EMBEDDING_KEY = other.url, "sk-of-vectors"

        chat_model().complete(make_task())
        embedder().embed(["garden"])

    assert [asked.authorization for asked in server.chats] == ["Bearer sk-of-chat"]
    assert [asked.authorization for asked in other.asked] == ["Bearer sk-of-vectors"]
    assert (server.asked, other.chats) == ([], [])


def test_openai_s_key_goes_to_nobody_else(settings: Settings) -> None:
    settings.OPENAI_API_KEY = "sk-of-openai"
    settings.CHAT_PROVIDER, settings.CHAT_URL = "mistral", PRESETS["mistral"].url
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_URL = "openai", OPENAI

    assert (chat_place().key, chat_place().lacks_key) == ("", True)
    assert embedding_place().key == "sk-of-openai"


def test_without_settings_of_its_own_each_falls_back_to_the_shared_endpoint(
    settings: Settings,
) -> None:
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "sk-shared", "http://127.0.0.1:9/v1"

    for place in (chat_place(), embedding_place()):
        assert (place.url, place.key) == ("http://127.0.0.1:9/v1", "sk-shared")


def test_a_key_for_chat_is_enough_to_choose_the_endpoint_for_chat_alone(
    settings: Settings,
) -> None:
    settings.CHAT, settings.CHAT_KEY = "auto", "sk-of-chat"

    assert chat_model().name == "openai"
    assert not embedding_place().is_named
