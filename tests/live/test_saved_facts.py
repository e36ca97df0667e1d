"""What was saved is recalled after the server was stopped and started again."""

import pytest

from tests.live.test_kills import open_session

pytestmark = pytest.mark.timeout(240)


@pytest.mark.requirement("OL-47")
def test_the_cats_name_is_recalled_after_a_restart(installation):
    content = {"content": "My cat's name is Whiskerino"}
    saved = {"session": open_session(installation), "arguments": content}
    assert installation.call("tools/memory_save", saved)["saved"]

    installation.stop()
    installation.start()

    asked = {
        "arguments": {"query": "What is my cat's name?"},
        "session": open_session(installation),
    }
    for tool in ("memory_recall", "memory_search"):
        assert "Whiskerino" in str(installation.insist(f"tools/{tool}", asked))
