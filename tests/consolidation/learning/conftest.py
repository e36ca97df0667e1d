"""A model that learns as a test wants, behind real HTTP."""

from collections.abc import Iterator

import pytest

from providers.openai_chat import OpenAIChat
from tests.providers.fake_openai import FakeOpenAI, running


@pytest.fixture
def teacher(monkeypatch) -> Iterator[FakeOpenAI]:
    """Return a server that answers about learning by its script; nobody else asks it."""
    with running() as server:

        def model() -> OpenAIChat:
            # A new one each time: no breaker remembers what failed before.
            return OpenAIChat(
                api_key="", base_url=server.url, seconds=2.0, sleep=lambda seconds: None
            )

        for user in ("consolidation.learning.job", "consolidation.learning.reconcile.planning"):
            monkeypatch.setattr(f"{user}.chat_model", model)
        yield server
