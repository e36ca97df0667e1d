import pytest

from accounts.owners import resolve_owner
from consolidation.embedding import fill as filling
from consolidation.embedding import saved_facts as saved_vectors
from consolidation.embedding.save_fact import keep_fact
from consolidation.jobs.queue import claim, enqueue
from consolidation.models import Job
from knowledge.models import FactCategory, SavedFact
from knowledge.saved_facts.save import NewFact, save_facts
from memory.models import EmbeddingSpace
from tests.consolidation.embedding.spaces import NEW, act, reembed
from tests.consolidation.embedding.test_embed_learned import Failing, Poisoned
from tests.factories import run_jobs


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def save(owner, *keys):
    facts = [NewFact(key, f"value of {key}", "fact") for key in keys]
    return save_facts(owner=owner, facts=facts, session=None, source="context_flush")


def filled():
    return [row.embedding is not None for row in SavedFact.objects.order_by("key")]


def test_the_sweep_finds_what_waits_and_files_it(alice):
    save(alice, "one", "two")
    enqueue(kind="sweep", key="periodic")
    run_jobs()

    assert filled() == [True, True]
    assert {row.space for row in SavedFact.objects.all()} == {EmbeddingSpace.objects.current()}
    assert FactCategory.objects.get().name == "fact"
    assert FactCategory.objects.get().additions == 2


def test_a_fact_that_is_saved_without_a_vector_asks_for_one(alice):
    saved = keep_fact(owner=alice, fact=NewFact("one", "x"), source="tool")
    assert saved.embedding is None
    run_jobs()
    assert filled() == [True]

    again = keep_fact(owner=alice, fact=NewFact("another", "quite different"), source="tool")
    assert again.embedding is not None
    assert Job.objects.filter(kind=saved_vectors.KIND).count() == 1


def test_a_provider_that_is_down_leaves_them_to_the_words(alice, monkeypatch):
    monkeypatch.setattr(filling, "current_model", Failing)
    save(alice, "one")
    saved_vectors.nudge()
    run_jobs()

    assert filled() == [False]
    assert Job.objects.get(kind=saved_vectors.KIND).last_error_code == "provider_unavailable"


@pytest.mark.requirement("OL-49")
def test_a_text_without_a_usable_vector_is_logged_and_waits_no_more(alice, monkeypatch, caplog):
    monkeypatch.setattr(filling, "current_model", Poisoned)
    save(alice, "one")
    saved_vectors.nudge()
    run_jobs()

    assert filled() == [False]
    assert SavedFact.objects.get().space == EmbeddingSpace.objects.current()
    assert "has no vector" in caplog.text


def test_what_is_changed_meanwhile_waits_for_its_own(alice, monkeypatch):
    class Editing(Poisoned):
        def embed(self, texts, *, seconds=None):
            SavedFact.objects.update(value="changed")
            return [[1.0] * self.dimension for _ in texts]

    monkeypatch.setattr(filling, "current_model", Editing)
    monkeypatch.setattr(filling, "ROUND_BATCHES", 1)
    save(alice, "one")
    job = enqueue(kind=saved_vectors.KIND, key="0")
    saved_vectors.run(claim(job))

    assert SavedFact.objects.get().space is None


def test_another_model_gives_them_other_vectors(alice):
    save(alice, "one", "two")
    saved_vectors.nudge()
    run_jobs()

    reembed(**NEW)
    act("switch")
    saved_vectors.nudge_if_any_waits()
    run_jobs()

    assert {len(list(numbers(row))) for row in SavedFact.objects.all()} == {64}
    assert len(list(numbers(FactCategory.objects.get()))) == 64


def numbers(row):
    found = row.embedding
    return found if isinstance(found, list) else found.to_list()


def test_where_vectors_are_switched_off_nothing_waits_in_vain(alice, settings):
    settings.EMBEDDER = "null"
    save(alice, "one")
    saved_vectors.nudge()
    run_jobs()

    assert Job.objects.get(kind=saved_vectors.KIND).state == "done"
