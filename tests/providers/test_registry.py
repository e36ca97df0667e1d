"""From settings to an embedder and to a chat model."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_django import Settings

from providers.errors import ProviderMisconfigured
from providers.local import PACKAGE, LocalEmbedder
from providers.registry import (
    CHAT_MODELS,
    EMBEDDERS,
    chat_model,
    embedder,
    embedder_for,
    embedder_named,
)
from tests.providers.fake_openai import FakeOpenAI
from tests.providers.tasks import make_task


@pytest.fixture(autouse=True)
def _afresh(settings: Settings) -> Iterator[None]:
    settings.METER = "tests.providers.metering.free"
    _forget()
    yield
    _forget()


def _forget() -> None:
    for found in (embedder, embedder_named, chat_model):
        found.cache_clear()


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a model whose files are not the published ones."""
    folder = tmp_path / PACKAGE / "model"
    folder.mkdir(parents=True)
    (tmp_path / PACKAGE / "__init__.py").touch()
    for name in ("model.safetensors", "tokenizer.json"):
        (folder / name).write_text("{}")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


@pytest.mark.requirement("CH-85")
def test_the_model_and_its_dimension_come_from_the_settings(
    settings: Settings, server: FakeOpenAI
) -> None:
    settings.EMBEDDER = "openai"
    settings.OPENAI_BASE_URL = server.url
    settings.OPENAI_EMBEDDING_MODEL = "another-model"
    settings.OPENAI_EMBEDDING_DIMENSION = 12

    (vector,) = embedder().embed(["garden"])

    assert vector is not None
    assert vector.shape == (12,)
    assert server.asked[0].model == "another-model"


@pytest.mark.requirement("CH-85")
def test_the_default_model_of_the_endpoint_is_text_embedding_3_small(
    settings: Settings,
) -> None:
    settings.EMBEDDER = "openai"

    found = embedder()

    assert (found.model, found.dimension) == ("text-embedding-3-small", 1536)


@pytest.mark.parametrize("name", ["openai", "hashing", "null"])
def test_a_setting_chooses_the_provider(settings: Settings, name: str) -> None:
    settings.EMBEDDER = name

    assert embedder().name == name


def test_every_provider_can_be_chosen() -> None:
    assert set(EMBEDDERS) == {"local", "openai", "hashing", "null"}


def test_there_is_one_embedder_per_process(settings: Settings) -> None:
    settings.EMBEDDER = "hashing"

    assert embedder() is embedder()


def test_without_the_local_model_hashing_stands_in_and_one_line_says_so(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.EMBEDDER = "local"
    monkeypatch.setitem(sys.modules, PACKAGE, None)

    found = [embedder().name for _ in range(3)]

    assert found == ["hashing"] * 3
    (line,) = caplog.messages
    assert "is not installed" in line
    assert "words alone" in line


def test_files_that_are_not_the_published_ones_are_not_used(
    settings: Settings, damaged: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMBEDDER = "local"

    assert embedder().name == "hashing"
    assert "model.safetensors is not the published file" in caplog.text


def test_a_model_with_a_file_missing_is_not_used(
    settings: Settings, damaged: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMBEDDER = "local"
    (damaged / "model.safetensors").unlink()

    assert embedder().name == "hashing"
    assert "model.safetensors: No such file" in caplog.text


@pytest.mark.parametrize("name", ["openai", "offline", "null"])
def test_a_setting_chooses_the_chat_model(settings: Settings, name: str) -> None:
    settings.CHAT = name

    assert chat_model().name == name
    assert set(CHAT_MODELS) == {"auto", "openai", "offline", "null"}


@pytest.mark.parametrize(
    ("key", "url", "name"),
    [
        ("", "", "offline"),
        ("sk-a-secret", "", "openai"),
        ("", "http://127.0.0.1:9/v1", "openai"),
    ],
)
def test_the_chat_model_is_the_endpoint_where_one_is_named_and_rules_elsewhere(
    settings: Settings, key: str, url: str, name: str
) -> None:
    settings.CHAT, settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "auto", key, url

    assert chat_model().name == name


def test_the_chat_model_is_asked_by_the_name_in_the_settings(
    settings: Settings, server: FakeOpenAI
) -> None:
    settings.CHAT, settings.OPENAI_BASE_URL = "openai", server.url
    settings.OPENAI_CHAT_MODEL = "another-model"

    completion = chat_model().complete(make_task())

    assert completion.model == server.chats[0].body["model"] == "another-model"


def test_there_is_one_chat_model_per_process(settings: Settings) -> None:
    settings.CHAT = "offline"

    assert chat_model() is chat_model()


@dataclass(frozen=True)
class Place:
    model: str
    version: str
    dimension: int


def test_a_space_is_served_by_its_own_model_whatever_the_settings_name(
    settings: Settings, server: FakeOpenAI
) -> None:
    settings.EMBEDDER = "hashing"
    settings.OPENAI_BASE_URL = server.url

    assert embedder_for(Place("hashing", "1", 384)) is embedder()
    assert embedder_for(Place("hashing", "1", 64)).dimension == 64
    assert embedder_for(Place("all-MiniLM-L6-v2", LocalEmbedder.version, 384)).name == "local"
    found = embedder_for(Place("another-model", "1", 12))

    (vector,) = found.embed(["garden"])
    assert vector is not None
    assert vector.shape == (12,)
    assert server.asked[0].model == "another-model"


def test_where_vectors_are_switched_off_no_space_is_served(settings: Settings) -> None:
    settings.EMBEDDER = "null"

    assert embedder_for(Place("hashing", "1", 384)).name == "null"


@pytest.mark.parametrize(
    ("space", "why"),
    [
        (Place("hashing", "2", 384), "hashing 2 with 384 dimensions, and here is 1 with 384"),
        (Place("all-MiniLM-L6-v2", "other", 384), "vectors are of all-MiniLM-L6-v2 other"),
        (Place("another-model", "1", 12), "needs OPENAI_API_KEY or OPENAI_BASE_URL"),
    ],
)
def test_a_space_that_nothing_here_makes_is_no_other_s(
    settings: Settings, space: Place, why: str
) -> None:
    settings.EMBEDDER, settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "hashing", "", ""

    with pytest.raises(ProviderMisconfigured, match=why):
        embedder_for(space)
