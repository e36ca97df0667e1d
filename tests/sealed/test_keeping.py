"""What could not be written is tried again, in order, and is never more than the process can hold."""

import time

import pytest

from accounts.sealed import keeping
from accounts.sealed.counts import WRITES
from accounts.sealed.keeping import RetryQueue


class Flaky:
    """Fails so many times, then writes."""

    def __init__(self, failures: int) -> None:
        self.failures, self.written = failures, 0

    def __call__(self) -> bool:
        if self.failures:
            self.failures -= 1
            raise RuntimeError("words of a person")
        self.written += 1
        return True


def counted(outcome: str) -> float:
    return WRITES.labels("crisis", outcome)._value.get()


def until(done) -> None:
    limit = time.monotonic() + 10
    while not done() and time.monotonic() < limit:
        time.sleep(0.01)


@pytest.fixture
def waiting(monkeypatch):
    monkeypatch.setattr(keeping, "RETRY_SECONDS", 0.01)
    found = RetryQueue()
    yield found
    found.clear()


@pytest.mark.requirement("OC-65")
def test_it_is_tried_again_by_itself_until_it_is_written(waiting, caplog):
    writes = [Flaky(2), Flaky(0)]

    for write in writes:
        waiting.add("crisis", write)
    until(lambda: not len(waiting) and waiting._timer is None)

    assert [write.written for write in writes] == [1, 1]
    assert "words of a person" not in caplog.text


def test_beyond_the_limit_the_oldest_is_lost_and_counted(waiting, monkeypatch):
    monkeypatch.setattr(keeping, "MOST_WAITING", 1)
    monkeypatch.setattr(keeping, "RETRY_SECONDS", 60)
    first, second, before = Flaky(0), Flaky(0), counted("lost")

    waiting.add("crisis", first)
    waiting.add("crisis", second)

    assert waiting.try_again() == 0
    assert (first.written, second.written) == (0, 1)
    assert counted("lost") == before + 1
