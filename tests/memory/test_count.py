import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from memory import tokenizer
from memory.budget import estimate
from memory.tokenizer import ENCODINGS, count, counter
from providers.local import model_folder

TEXT = "My cat is called Schrödinger."
# It counts characters, and would be caught on its way to the network.
TIKTOKEN = """
import os
class Encoding:
    def encode_ordinary(self, text):
        return list(text)
def get_encoding(name):
    assert os.path.exists(os.path.join(os.environ["TIKTOKEN_CACHE_DIR"], "kept"))
    return Encoding()
"""


@pytest.fixture(autouse=True)
def _afresh():
    counter.cache_clear()
    yield
    counter.cache_clear()


@pytest.fixture
def tiktoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a tiktoken and return the folder that it keeps its files in."""
    packages, kept = tmp_path / "packages", tmp_path / "cache"
    packages.mkdir()
    kept.mkdir()
    (packages / "tiktoken.py").write_text(TIKTOKEN)
    monkeypatch.syspath_prepend(packages)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(kept))
    yield kept
    sys.modules.pop("tiktoken", None)


def test_the_named_tokenizer_counts_exactly(settings: Settings):
    settings.TOKENIZER = str(model_folder() / "tokenizer.json")

    assert count(TEXT) == 9
    assert count("cat " * 1_000) == 1_000


@pytest.mark.parametrize("content", [None, "{}", "no json"])
def test_a_tokenizer_that_does_not_load_is_replaced_by_the_estimate(
    settings: Settings, tmp_path: Path, content: str | None, caplog: pytest.LogCaptureFixture
):
    settings.TOKENIZER = str(tmp_path / "tokenizer.json")
    if content is not None:
        Path(settings.TOKENIZER).write_text(content)

    assert [count(TEXT) for _ in range(3)] == [estimate(TEXT)] * 3
    assert len(caplog.messages) == 1


def test_without_any_tokenizer_it_is_the_estimate(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "tiktoken", None)

    assert count(TEXT) == estimate(TEXT)


def test_tiktoken_counts_exactly_where_its_file_is_here(
    tiktoken: Path, monkeypatch: pytest.MonkeyPatch
):
    digest = hashlib.sha256(b"ranks").hexdigest()
    monkeypatch.setitem(tokenizer.ENCODINGS, "o200k_base", ("kept", digest))
    (tiktoken / "kept").write_bytes(b"ranks")

    assert count(TEXT) == len(TEXT)


@pytest.mark.parametrize("content", [None, b"damaged"])
def test_tiktoken_is_not_asked_for_what_it_would_have_to_fetch(
    tiktoken: Path, content: bytes | None, caplog: pytest.LogCaptureFixture
):
    if content is not None:
        (tiktoken / ENCODINGS["o200k_base"][0]).write_bytes(content)

    assert count(TEXT) == estimate(TEXT)
    assert caplog.messages == []
    assert "tiktoken" not in sys.modules


def test_a_folder_without_a_name_is_no_cache(tiktoken: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")

    assert count(TEXT) == estimate(TEXT)


def test_half_a_character_is_counted_all_the_same(settings: Settings):
    settings.TOKENIZER = str(model_folder() / "tokenizer.json")

    assert count("cat \ud800") == 2
