"""A model that says what a test wants, behind a real endpoint."""

import pytest

from providers.openai_chat import OpenAIChat
from tests.factories import make_session
from tests.providers.fake_openai import running


@pytest.fixture
def endpoint(monkeypatch):
    """Return a server that says what the script says, and counts what it was asked."""
    with running() as server:
        model = OpenAIChat(api_key="", base_url=server.url, seconds=5.0, sleep=lambda seconds: None)
        monkeypatch.setattr("consolidation.learning.reconcile.planning.chat_model", lambda: model)
        yield server


@pytest.fixture
def session(porter):
    return make_session(porter)
