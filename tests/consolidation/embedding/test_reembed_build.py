"""Building a second space: asked first, resumed, and never in the way."""

import pytest
from django.core.management import CommandError

from consolidation.embedding import reembed as reembedding
from consolidation.errors import Postponed
from consolidation.jobs.queue import Attempt
from consolidation.models import Job
from memory import spaces
from memory.models import Chunk, Embedding, EmbeddingSpace
from providers.errors import ProviderRefused, ProviderUnavailable
from providers.hashing import HashingEmbedder
from providers.registry import embedder
from recall.search.messages.search import search
from tests.consolidation.embedding.spaces import NEW, QUESTION, TEXTS, act, reembed, states, vectors
from tests.factories import make_ended_session, run_jobs


def test_a_dry_run_says_what_it_would_cost_and_makes_nothing(porter):
    make_ended_session(porter, TEXTS)
    tokens = sum(Chunk.objects.values_list("tokens", flat=True))

    said = reembed(**NEW, dry_run=True)

    assert f"3 texts, about {tokens} tokens, by hashing (64 dimensions, 0.0 MB)" in said
    assert states() == {384: "current"}


@pytest.mark.parametrize("answer", ["", "n", EOFError])
def test_it_asks_first_and_anything_but_yes_changes_nothing(porter, monkeypatch, answer):
    make_ended_session(porter, TEXTS)

    def say(prompt):
        if answer is EOFError:
            raise EOFError
        return answer

    monkeypatch.setattr("builtins.input", say)

    with pytest.raises(CommandError, match="nothing was done"):
        reembed(**NEW, yes=False)

    assert states() == {384: "current"}


def test_yes_is_an_answer(porter, monkeypatch):
    make_ended_session(porter, TEXTS)
    monkeypatch.setattr("builtins.input", lambda prompt: "y")

    reembed(**NEW, yes=False)

    assert states() == {384: "current", 64: "building"}


def test_what_arrives_meanwhile_is_in_both_spaces(porter):
    make_ended_session(porter, TEXTS)
    arrivals = [["The gate is red."]]

    def arrive(count: int) -> None:
        if arrivals:
            make_ended_session(porter, arrivals.pop())

    space = spaces.begin_space(model="hashing", version="1", dimension=64)
    reembedding.fill(space, progress=arrive)

    assert vectors() == {384: 4, 64: 4}


def test_the_workers_build_it_in_the_background(porter):
    make_ended_session(porter, TEXTS)

    reembed(**NEW, background=True)

    assert vectors() == {384: 3, 64: 0}
    run_jobs()
    assert vectors() == {384: 3, 64: 3}
    assert "building hashing (64): 3 vectors, 0 missing" in reembed()


def test_a_round_that_is_over_makes_the_next(porter, monkeypatch):
    make_ended_session(porter, TEXTS)
    space = spaces.begin_space(model="hashing", version="1", dimension=64)
    monkeypatch.setattr(reembedding, "ROUND_SECONDS", 0)

    reembedding.run(Attempt(0, "reembed", str(space.pk), "", 0, 0, 0))

    assert Job.objects.get(kind="reembed", state="due").key == str(space.pk)
    assert not Embedding.objects.filter(space=space).exists()


def test_the_job_of_a_space_that_is_gone_is_nothing_to_do(db):
    reembedding.run(Attempt(0, "reembed", "7", "", 0, 0, 0))

    assert not EmbeddingSpace.objects.exists()


class Failing(HashingEmbedder):
    def __init__(self, error: Exception) -> None:
        super().__init__(64)
        self.error = error

    def embed(self, texts, *, seconds=None):
        raise self.error


def test_the_job_waits_for_a_provider_that_is_down(porter, monkeypatch):
    make_ended_session(porter, TEXTS)
    space = spaces.begin_space(model="hashing", version="1", dimension=64)
    down = Failing(ProviderUnavailable("down", retry_after=9.0))
    monkeypatch.setattr(reembedding, "embedder_for", lambda space: down)

    with pytest.raises(Postponed, match="provider_unavailable"):
        reembedding.run(Attempt(0, "reembed", str(space.pk), "", 0, 0, 0))


def test_a_provider_that_refuses_is_one_sentence(porter, monkeypatch):
    make_ended_session(porter, TEXTS)
    refusing = Failing(ProviderRefused("status 401"))
    monkeypatch.setattr(reembedding, "embedder_for", lambda space: refusing)

    with pytest.raises(CommandError, match=r"status 401 \(provider_refused\)"):
        reembed(**NEW)


class Unable(HashingEmbedder):
    """Gives no vector for the first text."""

    def embed(self, texts, *, seconds=None):
        return [
            None if TEXTS[0] in text else vector
            for text, vector in zip(texts, super().embed(texts), strict=True)
        ]


def test_texts_that_give_no_vector_are_counted_and_end_nothing(porter, monkeypatch):
    make_ended_session(porter, TEXTS)
    monkeypatch.setattr(reembedding, "embedder_for", lambda space: Unable(64))

    said = reembed(**NEW)

    assert "1 texts without a vector" in said
    assert vectors() == {384: 3, 64: 2}


class Dropping(HashingEmbedder):
    """Another process gives the space up while the provider is asked."""

    def embed(self, texts, *, seconds=None):
        spaces.give_up(EmbeddingSpace.objects.building())
        return super().embed(texts)


def test_a_space_that_was_given_up_gets_no_more_vectors(porter, monkeypatch):
    make_ended_session(porter, TEXTS)
    monkeypatch.setattr(reembedding, "embedder_for", lambda space: Dropping(64))

    with pytest.raises(CommandError, match="no longer to be filled"):
        reembed(**NEW)

    assert (states()[64], vectors()[64]) == ("dropping", 0)


def test_one_space_is_built_at_a_time(porter):
    make_ended_session(porter, TEXTS)
    reembed(**NEW)

    with pytest.raises(CommandError, match="is being built"):
        reembed(model="hashing", dimension=32)


def test_a_retired_space_is_taken_up_with_what_it_has(porter):
    make_ended_session(porter, TEXTS)
    reembed(**NEW)
    act("switch")

    assert "0 texts" in reembed(model="hashing", dimension=384)

    assert states() == {384: "building", 64: "current"}


def test_a_dimension_that_the_model_has_not_is_refused(porter):
    make_ended_session(porter, TEXTS)

    with pytest.raises(CommandError, match="has 384 dimensions"):
        reembed(model="local", dimension=64)


def test_vectors_that_are_switched_off_stay_off(porter, settings):
    owner = make_ended_session(porter, TEXTS).owner
    settings.EMBEDDER = "null"
    embedder.cache_clear()

    found = search(owner=owner, query=QUESTION, limit=9)

    assert found.searched_by == "words"
    with pytest.raises(CommandError, match="switched off"):
        reembed(**NEW)
