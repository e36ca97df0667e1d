"""What a metered provider asks before a call, and what it says after it."""

from dataclasses import dataclass, field

import pytest

from extraction.rules.model import OfflineChat
from providers.chat import Purpose
from providers.errors import OutOfCredit, ProviderUnavailable, ReplyMalformed
from providers.hashing import HashingEmbedder
from providers.metered import MeteredChat, MeteredEmbedder, Settle, Use, estimate
from providers.openai import OpenAIEmbedder
from providers.openai_chat import OpenAIChat
from providers.usage import MOST, TokenUsage, counting, note
from tests.providers.fake_openai import FakeOpenAI, running
from tests.providers.tasks import make_task


@dataclass
class Till:
    """Remembers what it was asked and told; empty, it pays for nothing."""

    is_empty: bool = False
    asked: list[Use] = field(default_factory=list)
    told: list[Use | None] = field(default_factory=list)

    def reserve(self, use: Use) -> Settle:
        self.asked.append(use)
        if self.is_empty:
            raise OutOfCredit("nothing left", retry_after=5.0)
        return self.told.append


@pytest.fixture
def server():
    with running() as found:
        yield found


def embedder(server: FakeOpenAI, till: Till) -> MeteredEmbedder:
    model = OpenAIEmbedder(api_key="", base_url=server.url, dimension=8, sleep=lambda _: None)
    return MeteredEmbedder(model, till.reserve)


def chat(server: FakeOpenAI, till: Till) -> MeteredChat:
    model = OpenAIChat(api_key="", base_url=server.url, sleep=lambda _: None)
    return MeteredChat(model, till.reserve)


def test_vectors_are_asked_for_at_an_estimate_and_settled_at_the_tokens_counted(server):
    till = Till()

    vectors = embedder(server, till).embed(["one", "two"])

    assert len(vectors) == 2
    assert till.asked == [Use("openai", "text-embedding-3-small", "embed", embedding_tokens=4)]
    assert till.told == [Use("openai", "text-embedding-3-small", "embed", embedding_tokens=1)]


def test_an_embedder_that_does_not_count_is_settled_at_the_estimate():
    till = Till()

    MeteredEmbedder(HashingEmbedder(), till.reserve).embed(["one"])

    assert till.told == till.asked


def test_no_text_costs_nothing():
    till = Till()

    assert MeteredEmbedder(HashingEmbedder(), till.reserve).embed([]) == []
    assert till.asked == []


def test_without_credit_nothing_is_sent(server):
    till = Till(is_empty=True)

    with pytest.raises(OutOfCredit) as caught:
        embedder(server, till).embed(["one"])
    with pytest.raises(OutOfCredit):
        chat(server, till).complete(make_task())

    assert (caught.value.retry_after, caught.value.counts_as_attempt) == (5.0, False)
    assert server.asked == []
    assert server.chats == []
    assert till.told == []


def test_a_call_that_fails_costs_nothing(server):
    till = Till()
    server.script = ["401"]

    with pytest.raises(Exception, match="status 401"):
        embedder(server, till).embed(["one"])

    assert till.told == [None]


def test_vectors_that_were_paid_for_before_a_failure_are_settled(server):
    till = Till()
    server.script = ["shuffled", "401"]
    model = embedder(server, till)

    with pytest.raises(Exception, match="status 401"):
        model.embed(["one"] * (model.batch_size + 1))

    (told,) = till.told
    assert told is not None
    assert told.embedding_tokens == 1


def test_an_answer_is_settled_at_the_tokens_of_all_its_replies(server):
    till = Till()
    server.script = ["prose"]

    chat(server, till).complete(make_task(Purpose.FACTS))

    (asked,), (told,) = till.asked, till.told
    assert told is not None
    assert (told.purpose, told.input_tokens, told.output_tokens) == ("facts", 22, 14)
    assert asked.input_tokens > 22
    assert asked.output_tokens == make_task(Purpose.FACTS).most_tokens


def test_answers_that_do_not_fit_are_paid_for_all_the_same(server):
    till = Till()
    server.script = ["prose", "prose"]

    with pytest.raises(ReplyMalformed):
        chat(server, till).complete(make_task())

    (told,) = till.told
    assert told is not None
    assert (told.input_tokens, told.output_tokens) == (22, 14)


def test_no_answer_costs_nothing(server):
    till = Till()
    server.script = ["500"] * 9

    with pytest.raises(ProviderUnavailable):
        chat(server, till).complete(make_task())

    assert till.told == [None]


def test_a_model_that_does_not_count_is_settled_at_the_estimate():
    till = Till()

    MeteredChat(OfflineChat(), till.reserve).complete(make_task())

    (told,) = till.told
    assert told == till.asked[0]


def test_an_estimate_is_rather_too_much():
    assert estimate(["The gate is red."]) >= 5
    assert estimate(["東京の庭"]) >= 4
    assert estimate(["\ud800", ""]) == 2


def test_a_count_that_no_reply_can_have_is_not_believed():
    with counting() as usage:
        note(prompt_tokens=10**30, completion_tokens=-5)

    assert usage == TokenUsage(MOST, 0)
    note(prompt_tokens=1)
    assert usage == TokenUsage(MOST, 0)
