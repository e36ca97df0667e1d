"""An endpoint that answers as a test wants, or fails as one wants."""

from collections.abc import Iterator

import pytest

from providers.openai_chat import OpenAIChat
from tests.providers.fake_openai import FakeOpenAI, running

ASKERS = (
    "consolidation.session_end.arc",
    "consolidation.compaction.job",
    "consolidation.session_end.summary",
    "consolidation.learning.reconcile.planning",
)


@pytest.fixture
def endpoint(monkeypatch) -> Iterator[FakeOpenAI]:
    """Return a server that answers by the rules until its script says otherwise."""
    with running() as server:
        model = OpenAIChat(api_key="", base_url=server.url, seconds=5.0, sleep=lambda seconds: None)
        for user in ASKERS:
            monkeypatch.setattr(f"{user}.chat_model", lambda: model)
        yield server
