import socket
from collections.abc import Iterator

import pytest

from memory_project.endpoint import why_unreachable


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_nothing_is_wrong_where_something_listens(listening):
    assert why_unreachable(f"http://127.0.0.1:{listening}/v1") == ""


def test_a_closed_port_is_said():
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))

        assert "refused" in why_unreachable(f"http://127.0.0.1:{reserved.getsockname()[1]}/v1")


@pytest.mark.parametrize("url", ["", "localhost:11434", "ftp://x/v1", "http://", "http://x:1e9/"])
def test_what_is_no_address_is_said(url):
    assert "begins with http://" in why_unreachable(url)


@pytest.mark.parametrize("scheme", ["http://", ""], ids=["address", "bare"])
def test_behind_a_proxy_the_proxy_is_what_must_be_reached(listening, monkeypatch, scheme):
    monkeypatch.setenv("http_proxy", f"{scheme}127.0.0.1:{listening}")

    assert why_unreachable("http://models.invalid/v1") == ""
