"""Documents of V get their vectors from a job, whatever was lost on the way."""

import pytest
from django.db import connection

from accounts.owners import resolve_owner
from consolidation import sweep
from consolidation.edits.own import forget_document
from consolidation.embedding import context as context_vectors
from consolidation.embedding import fill as filling
from consolidation.embedding.context import keep_context
from consolidation.jobs.queue import claim, enqueue
from consolidation.models import Job
from knowledge.documents.context import NewDocument, put_documents
from knowledge.models import ContextDocument
from memory.models import EmbeddingSpace
from providers.errors import ProviderUnavailable
from providers.hashing import HashingEmbedder
from recall.search.context import retrieve
from tests.consolidation.embedding.spaces import NEW, act, reembed
from tests.factories import run_jobs

SEATS = "Prefers window seats."


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def keep(owner, *texts):
    return keep_context(owner=owner, documents=[NewDocument(text) for text in texts])


def filled() -> list[bool]:
    return [row.embedding is not None for row in ContextDocument.objects.all()]


class Failing:
    name = model = version = "failing"
    dimension, batch_size = 8, 32

    def embed(self, texts, *, seconds=None):
        raise ProviderUnavailable("down")


class Poisoned(Failing):
    def embed(self, texts, *, seconds=None):
        return [None for _ in texts]


@pytest.mark.requirement("TS-06", "TS-30")
def test_each_gets_a_vector_of_the_current_space(alice):
    keep(alice, SEATS, "Has a dog.")
    run_jobs()

    rows = ContextDocument.objects.all()
    assert {row.space for row in rows} == {EmbeddingSpace.objects.current()}
    assert {(row.embedding_state, row.source) for row in rows} == {("done", "system_learned")}
    assert filled() == [True, True]


def test_what_is_there_already_is_not_embedded_again(alice):
    keep(alice, SEATS)
    run_jobs()
    keep(alice, SEATS)

    assert ContextDocument.objects.get().embedding_state == "done"


def test_nothing_new_asks_for_nothing(alice):
    keep(alice)

    assert not Job.objects.exists()


def test_more_than_a_round_is_filled_by_the_next(alice, monkeypatch):
    monkeypatch.setattr(filling, "ROUND_SECONDS", 0)
    keep(alice, *[f"seat {number}" for number in range(40)])
    run_jobs()

    assert set(filled()) == {True}


@pytest.mark.requirement("TS-48")
def test_facts_kept_while_the_provider_was_down_are_embedded_later(alice, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(filling, "current_model", Failing)
        keep(alice, SEATS)
        run_jobs()
    job = Job.objects.get(kind=context_vectors.KIND)
    assert (filled(), job.last_error_code) == ([False], "provider_unavailable")
    assert ContextDocument.objects.get().embedding_state == "pending"

    Job.objects.all().delete()
    enqueue(kind="sweep", key="periodic")
    run_jobs()

    assert filled() == [True]


def test_the_sweep_finds_what_nobody_asked_for(alice):
    put_documents(owner=alice, documents=[NewDocument(SEATS)])
    enqueue(kind="sweep", key="periodic")
    run_jobs()

    assert filled() == [True]


def test_the_sweep_asks_for_nothing_where_nothing_waits(alice):
    keep(alice, SEATS)
    run_jobs()
    before = Job.objects.filter(kind=context_vectors.KIND).count()

    enqueue(kind="sweep", key="periodic")
    sweep.run(claim(Job.objects.get(kind="sweep").pk))

    assert Job.objects.filter(kind=context_vectors.KIND).count() == before


def test_a_text_that_gives_no_vector_waits_no_more_after_three_tries(alice, monkeypatch):
    monkeypatch.setattr(filling, "current_model", Poisoned)
    keep(alice, SEATS)
    run_jobs()

    row = ContextDocument.objects.get()
    assert (row.embedding, row.embedding_state, row.embedding_attempts) == (None, "failed", 3)


def test_one_that_is_deleted_meanwhile_gets_no_vector(alice, monkeypatch):
    (id,) = keep(alice, SEATS)

    class Deleting(HashingEmbedder):
        def embed(self, texts, *, seconds=None):
            forget_document(owner=alice, id=id, actor="test")
            return super().embed(texts)

    monkeypatch.setattr(filling, "current_model", Deleting)
    run_jobs()

    assert not ContextDocument.objects.exists()


def test_nothing_is_written_in_a_space_that_is_current_no_more(alice, monkeypatch):
    keep(alice, "Has a dog.")
    run_jobs()
    keep(alice, SEATS)
    monkeypatch.setattr(filling, "current_model", lambda: HashingEmbedder(64))
    monkeypatch.setattr(filling, "ROUND_SECONDS", 0)

    context_vectors.run(claim(Job.objects.get(state="due").pk))

    assert ContextDocument.objects.get(content=SEATS).embedding_state == "pending"


def test_another_model_gives_them_other_vectors(alice):
    keep(alice, SEATS)
    run_jobs()

    assert "1 of context" in reembed(**NEW, dry_run=True)
    reembed(**NEW)
    assert "1 texts wait" in act("switch")
    assert [hit.content for hit in retrieve(owner=alice, query="seats").hits] == [SEATS]
    run_jobs()

    row = ContextDocument.objects.get()
    assert (row.space.dimension, len(row.embedding)) == (64, 64)
    assert retrieve(owner=alice, query="seats").searched_by == "vectors"
    assert "current  hashing (64): 1 vectors, 0 missing" in reembed()


def test_a_long_vector_stays_in_its_row(alice):
    with connection.cursor() as cursor:
        cursor.execute(
            "select attstorage from pg_attribute "
            "where attrelid = 'toolstream_context'::regclass and attname = 'embedding'"
        )
        assert cursor.fetchone() == ("p",)
