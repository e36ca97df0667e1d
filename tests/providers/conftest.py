"""A server to talk to, and an embedder that talks to it without waiting between its tries."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from providers.openai import OpenAIEmbedder
from providers.openai_chat import OpenAIChat
from tests.providers.fake_openai import FakeOpenAI, running

KEY = "sk-a-secret"
DIMENSION = 16


@dataclass
class Waits:
    """Stands in for time.sleep and remembers for how long."""

    seconds: list[float] = field(default_factory=list)

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with running() as fake:
        yield fake


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def model(server: FakeOpenAI, waits: Waits) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        api_key=KEY, base_url=server.url, dimension=DIMENSION, seconds=5.0, sleep=waits
    )


@pytest.fixture
def chat(server: FakeOpenAI, waits: Waits) -> OpenAIChat:
    return OpenAIChat(api_key=KEY, base_url=server.url, seconds=5.0, sleep=waits)
