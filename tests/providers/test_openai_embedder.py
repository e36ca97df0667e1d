"""Vectors through an endpoint that may do anything."""

import numpy as np
import pytest

from providers.base import is_usable
from providers.errors import ProviderRefused, ProviderUnavailable
from providers.openai import OpenAIEmbedder
from tests.providers.conftest import DIMENSION, KEY, Waits
from tests.providers.fake_openai import FakeOpenAI, unit_vectors

PASSING = [
    *("408", "409", "500", "502", "503", "503-seconds", "redirect"),
    *("cut-body", "no-reply", "html", "not-json", "null", "no-data", "huge", "compressed"),
]
SPOILING = [
    *("400", "413", "422"),
    *("wrong-count", "too-many", "duplicate-index", "short-vector", "nan", "inf", "zero"),
]
REJECTING = {"400", "413", "422"}


def are_right(vectors, texts) -> bool:
    return all(
        vector is not None and np.allclose(vector, expected)
        for vector, expected in zip(vectors, unit_vectors(texts, DIMENSION), strict=True)
    )


@pytest.mark.requirement("CH-79")
def test_it_sends_at_most_32_texts_in_one_call(server: FakeOpenAI, model: OpenAIEmbedder) -> None:
    texts = [f"text {number}" for number in range(70)]

    vectors = model.embed(texts)

    assert [len(asked.texts) for asked in server.asked] == [32, 32, 6]
    assert are_right(vectors, texts)


def test_it_asks_nothing_for_no_texts(server: FakeOpenAI, model: OpenAIEmbedder) -> None:
    assert model.embed([]) == []
    assert server.asked == []


def test_it_names_its_model_size_and_key(server: FakeOpenAI, model: OpenAIEmbedder) -> None:
    model.embed(["garden"])

    (asked,) = server.asked
    assert (asked.model, asked.dimension) == ("text-embedding-3-small", DIMENSION)
    assert asked.authorization == f"Bearer {KEY}"


@pytest.mark.parametrize("answers_in_floats", [True, False])
def test_it_reads_both_encodings(
    server: FakeOpenAI, model: OpenAIEmbedder, answers_in_floats: bool
) -> None:
    server.answers_in_floats = answers_in_floats

    vectors = model.embed(["garden"])

    assert vectors[0] is not None
    assert vectors[0].dtype == np.float32
    assert are_right(vectors, ["garden"])


def test_it_goes_by_index_not_by_position(server: FakeOpenAI, model: OpenAIEmbedder) -> None:
    server.script = ["shuffled"]

    vectors = model.embed(["one", "two", "three"])

    assert are_right(vectors, ["one", "two", "three"])
    assert len(server.asked) == 1


def test_it_gives_vectors_of_any_length_the_length_one(
    server: FakeOpenAI, model: OpenAIEmbedder
) -> None:
    server.script = ["unscaled"]

    assert are_right(model.embed(["garden"]), ["garden"])


@pytest.mark.requirement("CH-81")
@pytest.mark.parametrize("fault", PASSING)
def test_it_tries_again_after_one_two_and_four_seconds(
    server: FakeOpenAI, model: OpenAIEmbedder, waits: Waits, fault: str
) -> None:
    server.script = [fault] * 3

    vectors = model.embed(["garden"])

    assert are_right(vectors, ["garden"])
    assert [asked.path for asked in server.asked] == ["/v1/embeddings"] * 4
    assert all(
        base / 2 <= seconds <= base for base, seconds in zip([1, 2, 4], waits.seconds, strict=True)
    )


@pytest.mark.requirement("CH-81")
@pytest.mark.parametrize("fault", PASSING)
def test_it_gives_up_after_the_third_retry(
    server: FakeOpenAI, model: OpenAIEmbedder, fault: str
) -> None:
    server.script = [fault] * 4

    with pytest.raises(ProviderUnavailable) as caught:
        model.embed(["garden"])

    assert len(server.asked) == 4
    assert caught.value.code == "provider_unavailable"
    assert caught.value.counts_as_attempt


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_it_hangs_up_at_the_deadline(
    server: FakeOpenAI, model: OpenAIEmbedder, waits: Waits, fault: str
) -> None:
    server.script = [fault]

    with pytest.raises(ProviderUnavailable):
        model.embed(["garden"], seconds=0.2)

    assert len(server.asked) == 1
    assert waits.seconds == []


def test_it_shares_one_deadline_among_all_batches(
    server: FakeOpenAI, model: OpenAIEmbedder
) -> None:
    with pytest.raises(ProviderUnavailable, match="out of time"):
        model.embed(["garden"], seconds=0.0)

    assert server.asked == []


def test_it_makes_no_one_wait_for_a_retry(
    server: FakeOpenAI, model: OpenAIEmbedder, waits: Waits
) -> None:
    server.script = ["500"]

    with pytest.raises(ProviderUnavailable):
        model.embed(["garden"], seconds=5.0)

    assert len(server.asked) == 1
    assert waits.seconds == []


@pytest.mark.parametrize(
    ("fault", "least", "most"),
    [("429-seconds", 7, 7), ("429-date", 50, 60), ("429-long", 300, 300)],
)
def test_a_rate_limit_says_how_long_to_wait_and_is_no_attempt(
    server: FakeOpenAI, model: OpenAIEmbedder, fault: str, least: float, most: float
) -> None:
    server.script = [fault]

    with pytest.raises(ProviderUnavailable) as caught:
        model.embed(["garden"])

    assert caught.value.retry_after is not None
    assert least <= caught.value.retry_after <= most
    assert not caught.value.counts_as_attempt
    assert len(server.asked) == 1


def test_a_rate_limit_may_leave_the_wait_open(server: FakeOpenAI, model: OpenAIEmbedder) -> None:
    server.script = ["429"]

    with pytest.raises(ProviderUnavailable) as caught:
        model.embed(["garden"])

    assert caught.value.retry_after is None


@pytest.mark.parametrize("fault", ["401", "403", "404"])
def test_it_does_not_repeat_what_was_refused(
    server: FakeOpenAI, model: OpenAIEmbedder, fault: str
) -> None:
    server.script = [fault]

    with pytest.raises(ProviderRefused):
        model.embed(["garden"])

    assert len(server.asked) == 1
    assert model.breaker.is_open


@pytest.mark.parametrize("fault", SPOILING)
def test_only_the_text_that_spoils_its_batch_gets_no_vector(
    server: FakeOpenAI, model: OpenAIEmbedder, fault: str
) -> None:
    texts = [f"text {number}" for number in range(32)]
    server.poison = {"text 13": fault}

    vectors = model.embed(texts)

    assert [place for place, vector in enumerate(vectors) if vector is None] == [13]
    assert are_right(vectors[:13] + vectors[14:], texts[:13] + texts[14:])


@pytest.mark.parametrize("fault", SPOILING)
def test_a_text_alone_gets_four_tries_unless_it_was_rejected(
    server: FakeOpenAI, model: OpenAIEmbedder, fault: str
) -> None:
    server.poison = {"garden": fault}

    assert model.embed(["garden"]) == [None]
    assert len(server.asked) == (1 if fault in REJECTING else 4)


def test_a_spoiled_reply_makes_no_one_wait(
    server: FakeOpenAI, model: OpenAIEmbedder, waits: Waits
) -> None:
    server.script = ["short-vector"]

    assert model.embed(["garden"], seconds=5.0) == [None]
    assert waits.seconds == []


def test_one_spoiled_reply_costs_no_vector(server: FakeOpenAI, model: OpenAIEmbedder) -> None:
    server.script = ["nan"]

    assert are_right(model.embed(["one", "two"]), ["one", "two"])


@pytest.mark.requirement("OL-49")
def test_a_vector_of_the_wrong_dimension_is_ignored_for_that_item_and_logged(
    server: FakeOpenAI, model: OpenAIEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    server.poison = {"two": "short-vector"}

    first, second, third = model.embed(["one", "two", "three"])

    assert second is None
    assert are_right([first, third], ["one", "three"])
    assert "3 dimensions instead of 16" in caplog.text


@pytest.mark.parametrize("fault", ["400", "401", "429", "500", "html"])
def test_no_failure_repeats_a_text_or_the_key(
    server: FakeOpenAI,
    model: OpenAIEmbedder,
    caplog: pytest.LogCaptureFixture,
    fault: str,
) -> None:
    server.poison = {"my private words": fault}
    said = ""

    try:
        model.embed(["my private words"])
    except (ProviderUnavailable, ProviderRefused) as error:
        said = f"{error!r} {error.__cause__!r}"

    assert "private" not in said + caplog.text
    assert KEY not in said + caplog.text


def test_it_stops_asking_who_does_not_answer(server: FakeOpenAI, model: OpenAIEmbedder) -> None:
    server.script = ["500"] * 5
    for _ in range(5):
        with pytest.raises(ProviderUnavailable, match="500"):
            model.embed(["garden"], seconds=5.0)

    with pytest.raises(ProviderUnavailable, match="breaker") as caught:
        model.embed(["garden"])

    assert len(server.asked) == 5
    assert not caught.value.counts_as_attempt


def test_it_is_unavailable_where_nobody_listens(waits: Waits) -> None:
    model = OpenAIEmbedder(api_key="", base_url="http://127.0.0.1:9/v1", sleep=waits)

    with pytest.raises(ProviderUnavailable):
        model.embed(["garden"])


def test_its_vectors_can_be_compared(model: OpenAIEmbedder) -> None:
    (vector,) = model.embed(["garden"])

    assert vector is not None
    assert is_usable(vector, model.dimension)
