"""A slow provider delays no reader, and its vector is there for the next question."""

import threading
import time
from uuid import UUID

import numpy as np
import pytest

from providers.errors import ProviderUnavailable
from recall.search.questions.question import embed_query
from recall.search.questions.vectors import QUESTION_VECTORS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.requirement("CH-83")]
AGENT = UUID(int=7)


class Slow:
    """A remote model that answers when it is let."""

    name, model, version, dimension = "remote", "slow", "1", 3
    batch_size = 32

    def __init__(self, error: Exception | None = None) -> None:
        self.goes_on, self.asked, self.error = threading.Event(), 0, error

    def embed(self, texts, *, seconds=None):
        self.asked += 1
        assert self.goes_on.wait(20)
        if self.error:
            raise self.error
        return [np.ones(3, dtype=np.float32) for _ in texts]


@pytest.fixture(autouse=True)
def no_vectors():
    QUESTION_VECTORS.clear()
    yield
    QUESTION_VECTORS.clear()


def wait_until(holds):
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_words_answer_meanwhile_and_the_next_question_has_the_vector():
    model = Slow()

    assert embed_query(AGENT, model, "where?") == (None, "provider_slow")
    model.goes_on.set()
    wait_until(lambda: len(QUESTION_VECTORS))
    vector, degraded = embed_query(AGENT, model, "where?")

    assert (vector.tolist(), degraded) == ([1, 1, 1], "")
    assert model.asked == 1


def test_a_failure_that_comes_late_is_nobodys(caplog):
    model = Slow(ProviderUnavailable("down"))

    assert embed_query(AGENT, model, "where?")[1] == "provider_slow"
    model.goes_on.set()
    wait_until(lambda: "a late question" in caplog.text)

    assert embed_query(AGENT, model, "where?")[1] == "provider_unavailable"


def test_more_questions_than_may_be_under_way_are_answered_by_their_words(settings):
    settings.QUERY_WAIT_SECONDS = 0.01
    model = Slow()

    codes = {embed_query(AGENT, model, f"where {n}?")[1] for n in range(20)}

    assert codes == {"provider_slow"}
    assert model.asked == 16
    model.goes_on.set()
    wait_until(lambda: len(QUESTION_VECTORS) == 16)
