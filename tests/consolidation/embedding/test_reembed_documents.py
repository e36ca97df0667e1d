"""The agent's own documents go along to another space."""

import pytest
from pgvector import HalfVector
from pgvector.django import CosineDistance

from accounts.owners import find_agent_owner
from consolidation.edits.own import forget_knowledge
from consolidation.embedding import reembed as reembedding
from consolidation.embedding.documents import keep_document
from knowledge.models import KnowledgeDocument, KnowledgeEmbedding
from memory import spaces
from memory.models import EmbeddingSpace
from providers.hashing import HashingEmbedder
from recall.search.documents import search_knowledge
from recall.search.questions.question import SearchMode
from tests.consolidation.embedding.spaces import NEW, TEXTS, act, reembed
from tests.factories import make_ended_session, run_jobs

DOCUMENT = "Trains leave at nine."


def keep(agent, content=DOCUMENT, key="trains"):
    return keep_document(agent=agent, actor="test", content=content, key=key).document


def vectors() -> dict[int, int]:
    found = KnowledgeEmbedding.objects.values_list("space__dimension", flat=True)
    return {dimension: list(found).count(dimension) for dimension in found}


def found_by_vectors(agent) -> list[str]:
    owner = find_agent_owner(agent)
    hits = search_knowledge(owner=owner, query=DOCUMENT, limit=9, mode=SearchMode.SEMANTIC).hits
    return [hit.text for hit in hits]


@pytest.fixture
def kept(porter):
    make_ended_session(porter, TEXTS)
    keep(porter)
    run_jobs()
    return porter


@pytest.mark.requirement("CH-86")
def test_they_are_found_before_during_and_after(kept):
    assert "4 texts" in reembed(**NEW, dry_run=True)
    reembed(**NEW)
    assert (vectors(), found_by_vectors(kept)) == ({384: 1, 64: 1}, [DOCUMENT])

    act("switch")

    assert found_by_vectors(kept) == [DOCUMENT]
    assert "current  hashing (64): 4 vectors, 0 missing" in reembed()
    act("drop")
    assert (vectors(), found_by_vectors(kept)) == ({64: 1}, [DOCUMENT])


def test_one_that_is_changed_after_the_build_is_caught_up(kept):
    reembed(**NEW)
    keep(kept, "Trains leave at ten.")
    assert vectors() == {}

    act("switch")
    run_jobs()

    assert vectors() == {64: 1}
    assert KnowledgeDocument.objects.get().embedding_state == "done"
    assert found_by_vectors(kept) == ["Trains leave at ten."]


def test_what_the_new_space_lacks_is_embedded_by_the_jobs(kept):
    space = spaces.begin_space(model="hashing", version="1", dimension=64)

    assert reembedding.go_over(space, actor="test") >= 1

    run_jobs()
    assert vectors() == {384: 1, 64: 1}
    assert KnowledgeDocument.objects.get().embedding_state == "done"


class Changing(HashingEmbedder):
    """Another process changes or deletes the document while the provider is asked."""

    def __init__(self, act) -> None:
        super().__init__(64)
        self.act = act

    def embed(self, texts, *, seconds=None):
        act, self.act = self.act, None
        if act and DOCUMENT in str(texts):
            act()
        return super().embed(texts)


@pytest.mark.parametrize("is_deleted", [True, False])
def test_the_vector_of_what_it_was_before_is_not_written(kept, monkeypatch, is_deleted):
    make_ended_session(kept, ["The gate is red."])

    def change() -> None:
        if is_deleted:
            forget_knowledge(agent=kept, actor="test", key="trains")
        else:
            keep(kept, "Trains leave at ten.")

    space = spaces.begin_space(model="hashing", version="1", dimension=64)
    monkeypatch.setattr(reembedding, "CHUNKS", reembedding.DOCUMENTS)
    monkeypatch.setattr(reembedding, "embedder_for", lambda space: Changing(change))

    reembedding.fill(space)

    assert vectors() == ({} if is_deleted else {64: 1})
    (new,) = HashingEmbedder(64).embed(["trains\nTrains leave at ten."])
    far = CosineDistance("embedding", HalfVector(new))
    assert not KnowledgeEmbedding.objects.annotate(far=far).filter(far__gt=0.01).exists()


class Switching(HashingEmbedder):
    """Another process switches while the provider is asked."""

    def embed(self, texts, *, seconds=None):
        other = EmbeddingSpace.objects.building()
        if other:
            spaces.switch(other)
        return super().embed(texts)


def test_a_batch_of_the_old_model_is_not_written_after_a_switch(kept, monkeypatch):
    reembed(**NEW)
    keep(kept, "Buses leave at ten.", key="buses")
    used = []

    def model():
        used.append(EmbeddingSpace.objects.current().dimension)
        return Switching(used[-1])

    monkeypatch.setattr("consolidation.embedding.fill.current_model", model)

    run_jobs()

    assert used[:2] == [384, 64]
    assert vectors() == {384: 1, 64: 2}
