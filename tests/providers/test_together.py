"""Texts that several threads want at the same time."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import numpy as np
import pytest

from providers.base import Vector
from providers.together import Together


class Slow:
    """Computes when it is let, and notes what it was given."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.begun, self.may_end = threading.Event(), threading.Event()

    def __call__(self, texts: Sequence[str]) -> list[Vector | None]:
        self.batches.append(list(texts))
        self.begun.set()
        assert self.may_end.wait(60)
        if "broken" in texts:
            raise ValueError(str(texts))
        return [np.array([float(text)], dtype=np.float32) if text else None for text in texts]


def ask(slow: Slow, texts: list[str], *, turns: int = 1, most: int = 8) -> list[object]:
    """Let each text be asked for by a thread, all but the first while the first is computed."""
    together = Together(slow, threading.Semaphore(turns), most)
    with ThreadPoolExecutor(len(texts)) as pool:
        first = pool.submit(together.embed, texts[0])
        assert slow.begun.wait(60)
        others = [pool.submit(together.embed, text) for text in texts[1:]]
        while turns == 1 and len(together._wishes) < len(others):
            threading.Event().wait(0.01)
        slow.may_end.set()
        return [job.exception(60) or job.result() for job in (first, *others)]


def test_who_waits_is_served_along_with_the_next() -> None:
    slow = Slow()

    vectors = ask(slow, ["1", "2", "3", "4"])

    assert [len(batch) for batch in slow.batches] == [1, 3]
    assert [float(np.array(vector)[0]) for vector in vectors] == [1, 2, 3, 4]


def test_a_turn_takes_no_more_than_it_may() -> None:
    slow = Slow()

    vectors = ask(slow, ["1", "2", "3", "4", "5", "6"], most=2)

    assert [len(batch) for batch in slow.batches] == [1, 2, 2, 1]
    assert [float(np.array(vector)[0]) for vector in vectors] == [1, 2, 3, 4, 5, 6]


def test_several_turns_run_at_once() -> None:
    slow = Slow()

    vectors = ask(slow, ["1", "2", "3", "4"], turns=2)

    assert sorted(chain.from_iterable(slow.batches)) == ["1", "2", "3", "4"]
    assert [float(np.array(vector)[0]) for vector in vectors] == [1, 2, 3, 4]


def test_a_text_without_a_vector_has_none() -> None:
    assert ask(Slow(), ["1", "", "3"])[1] is None


def test_whoever_waits_is_told_of_a_failure_and_the_next_is_served() -> None:
    slow = Slow()
    together = Together(slow, threading.Semaphore(1), 8)
    slow.may_end.set()

    with pytest.raises(ValueError, match="broken"):
        together.embed("broken")

    assert together.embed("1") is not None
    first, second, third = ask(Slow(), ["1", "2", "broken"])
    assert np.array(first).tolist() == [1]
    assert isinstance(second, ValueError)
    assert isinstance(third, ValueError)
