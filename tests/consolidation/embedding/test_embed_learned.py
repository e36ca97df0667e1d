import pytest

from consolidation import sweep
from consolidation.embedding import fill as filling
from consolidation.embedding import learned as learned_vectors
from consolidation.jobs.queue import claim, enqueue
from consolidation.models import Job
from knowledge.models import Arc, Fact
from memory.models import EmbeddingSpace
from providers.errors import ProviderUnavailable
from tests.consolidation.embedding.spaces import NEW, act, reembed
from tests.contracts.stores import arc, fact, rule
from tests.factories import run_jobs
from tests.recall.learned import keep, owner_of


@pytest.fixture
def alice(porter):
    return owner_of(porter)


def fill() -> None:
    learned_vectors.nudge()
    run_jobs()


def filled() -> list[bool]:
    facts = [row.embedding is not None for row in Fact.objects.all()]
    return facts + [row.embedding is not None for row in Arc.objects.all()]


class Failing:
    name = model = version = "failing"
    dimension, batch_size = 8, 32

    def embed(self, texts, *, seconds=None):
        raise ProviderUnavailable("down")


class Poisoned(Failing):
    def embed(self, texts, *, seconds=None):
        return [None for _ in texts]


def test_facts_and_arcs_get_a_vector_of_the_current_space(alice):
    keep(alice, fact("my boss is terrible"), arc("Talked of the boss."), rule("Be brief."))

    fill()

    current = EmbeddingSpace.objects.current()
    assert filled() == [True, True]
    assert {row.space for row in (Fact.objects.get(), Arc.objects.get())} == {current}


def test_what_is_superseded_gets_none(alice):
    keep(alice, fact("my boss is terrible", superseded_by="eviction"))

    fill()

    assert filled() == [False]


def test_more_than_a_round_is_filled_by_the_next(alice, monkeypatch):
    monkeypatch.setattr(filling, "ROUND_BATCHES", 1)
    keep(alice, *[fact(f"boss {number}") for number in range(40)])

    fill()

    assert set(filled()) == {True}


def test_the_sweep_finds_what_nobody_asked_for(alice):
    keep(alice, fact("my boss is terrible"))
    enqueue(kind="sweep", key="periodic")
    run_jobs()

    assert filled() == [True]


def test_the_sweep_asks_for_nothing_where_nothing_waits(alice):
    keep(alice, fact("my boss is terrible"))
    fill()
    before = Job.objects.filter(kind=learned_vectors.KIND).count()

    enqueue(kind="sweep", key="periodic")
    sweep.run(claim(Job.objects.get(kind="sweep").pk))

    assert Job.objects.filter(kind=learned_vectors.KIND).count() == before


@pytest.mark.requirement("CH-83")
def test_a_provider_that_is_down_leaves_them_to_the_words(alice, monkeypatch):
    monkeypatch.setattr(filling, "current_model", Failing)
    keep(alice, fact("my boss is terrible"))

    fill()

    assert filled() == [False]
    assert Job.objects.get(kind=learned_vectors.KIND).last_error_code == "provider_unavailable"


def test_a_text_that_gives_no_vector_waits_no_more(alice, monkeypatch):
    monkeypatch.setattr(filling, "current_model", Poisoned)
    keep(alice, fact("my boss is terrible"))

    fill()

    assert filled() == [False]
    assert Fact.objects.get().space == EmbeddingSpace.objects.current()


def test_one_that_is_edited_meanwhile_waits_for_its_own_vector(alice, monkeypatch):
    class Editing(Poisoned):
        def embed(self, texts, *, seconds=None):
            Fact.objects.update(version=2)
            return [[1.0] * self.dimension for _ in texts]

    monkeypatch.setattr(filling, "current_model", Editing)
    monkeypatch.setattr(filling, "ROUND_BATCHES", 1)
    keep(alice, fact("my boss is terrible"))
    enqueue(kind=learned_vectors.KIND, key="0")

    learned_vectors.run(claim(Job.objects.get().pk))

    assert Fact.objects.get().space is None


def test_another_model_gives_them_other_vectors(alice):
    keep(alice, fact("my boss is terrible"))
    fill()

    reembed(**NEW)
    act("switch")
    run_jobs()

    assert Fact.objects.get().space.dimension == 64
    assert len(Fact.objects.get().embedding) == 64
