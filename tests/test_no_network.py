"""The tests need nobody but this machine."""

import socket

import pytest

from extraction.rules.model import OfflineChat
from providers.registry import chat_model, embedder


@pytest.mark.requirement("XX-09")
def test_no_test_reaches_another_machine():
    with pytest.raises(OSError, match="a test wanted to reach"):
        socket.create_connection(("192.0.2.1", 443), timeout=1)


@pytest.mark.requirement("XX-09")
def test_models_are_doubles_that_answer_the_same_each_time():
    assert isinstance(chat_model(), OfflineChat)
    assert embedder().name == "hashing"
    first, second = embedder().embed(["trout", "trout"])
    assert (first == second).all()
