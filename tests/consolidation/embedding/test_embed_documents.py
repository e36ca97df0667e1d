import pytest

from consolidation import sweep
from consolidation.embedding import documents
from consolidation.embedding import fill as filling
from consolidation.embedding.documents import keep_document
from consolidation.jobs.queue import Attempt, claim, enqueue
from consolidation.models import Job
from knowledge.documents.agent import put_document
from knowledge.documents.vectors import store_document_vectors
from knowledge.models import KnowledgeDocument, KnowledgeEmbedding
from memory.spaces import current_for
from providers.errors import ProviderUnavailable
from providers.registry import embedder
from recall.search.documents import search_knowledge
from recall.search.questions.question import SearchMode
from tests.factories import make_ended_session, run_jobs


def keep(agent, content="Trains leave at nine.", **fields):
    return keep_document(agent=agent, actor="test", content=content, **fields).document


def states() -> list[str]:
    return list(KnowledgeDocument.objects.values_list("embedding_state", flat=True))


@pytest.mark.requirement("CH-90")
def test_a_kept_document_gets_a_vector(porter):
    keep(porter)
    assert states() == ["pending"]

    run_jobs()

    assert states() == ["done"]
    assert KnowledgeEmbedding.objects.count() == 1


@pytest.mark.requirement("CH-06")
def test_sessions_come_and_go_and_the_document_stays_found_by_its_vector(porter):
    porter.mid_term_sessions = 1
    porter.save()
    kept = keep(porter, "The key lies under the mat.", key="mat")
    run_jobs()
    before = KnowledgeDocument.objects.defer("tsv").values().get()

    for text in ("one thing", "another thing", "a third thing"):
        make_ended_session(porter, [text])

    assert KnowledgeDocument.objects.defer("tsv").values().get() == before
    found = search_knowledge(
        owner=kept.owner, query="The key lies under the mat.", limit=1, mode=SearchMode.SEMANTIC
    )
    assert (found.searched_by, found.hits[0].id) == ("vectors", kept.pk)
    assert found.hits[0].signals.meaning > 0.9


def test_more_than_a_round_is_filled_by_the_next(porter, monkeypatch):
    monkeypatch.setattr(filling, "ROUND_SECONDS", 0)
    for number in range(70):
        keep(porter, f"document {number}")

    run_jobs()

    assert set(states()) == {"done"}


def test_a_changed_content_gets_another_vector(porter):
    keep(porter, "one", key="k")
    run_jobs()
    before = KnowledgeEmbedding.objects.get().embedding

    keep(porter, "two", key="k")
    assert not KnowledgeEmbedding.objects.exists()
    run_jobs()

    assert KnowledgeEmbedding.objects.get().embedding != before


def test_a_vector_of_what_was_changed_meanwhile_is_not_written(porter):
    seen = keep(porter, "one", key="k")
    (vector,) = embedder().embed(["one"])
    put_document(owner=seen.owner, key="k", content="two", language="english")

    space = current_for(model="m", version="1", dimension=384)
    store_document_vectors(space=space, found=[(seen, vector)])

    assert states() == ["pending"]
    assert not KnowledgeEmbedding.objects.exists()


class Failing:
    name = model = version = "failing"
    dimension, batch_size = 8, 32

    def embed(self, texts, *, seconds=None):
        raise ProviderUnavailable("down")


class Poisoned(Failing):
    def embed(self, texts, *, seconds=None):
        return [None for _ in texts]


@pytest.mark.requirement("CH-83")
def test_a_provider_that_is_down_delays_the_vector_and_not_the_writing(porter, monkeypatch):
    monkeypatch.setattr("consolidation.embedding.fill.current_model", Failing)

    keep(porter)
    run_jobs()

    assert states() == ["pending"]
    assert Job.objects.get(kind=documents.KIND).last_error_code == "provider_unavailable"


def test_a_text_that_gives_no_vector_is_left_to_the_words_after_three_tries(porter, monkeypatch):
    monkeypatch.setattr("consolidation.embedding.fill.current_model", Poisoned)

    keep(porter)
    run_jobs()

    assert states() == ["failed"]


def test_the_sweep_makes_the_job_that_was_lost(porter):
    keep(porter)
    Job.objects.all().delete()

    sweep.run(Attempt(0, "sweep", "periodic", "", 0, 0, 0))

    assert Job.objects.filter(kind=documents.KIND).count() == 1


def test_it_never_runs_beside_the_first_part_of_the_chunks(porter):
    keep(porter)
    chunks = enqueue(kind="embed", key="0", subject=documents.SUBJECT)
    job = Job.objects.get(kind=documents.KIND)

    assert claim(job.pk)
    assert claim(chunks) is None
