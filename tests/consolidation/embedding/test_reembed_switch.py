"""Going over to another space, back again, and dropping what is not in use."""

from pathlib import Path

import pytest
from django.core.management import CommandError
from django.db import connection

from audit.models import AuditEntry
from consolidation.embedding import reembed as reembedding
from memory import graphs, spaces
from memory.errors import SpaceInUse
from memory.models import Chunk, Embedding, EmbeddingSpace, OwnerIndex, SessionStep
from providers.errors import ProviderRefused
from providers.hashing import HashingEmbedder
from recall.search.messages.search import search
from tests.consolidation.embedding.spaces import (
    NEW,
    QUESTION,
    TEXTS,
    act,
    found_by_vectors,
    reembed,
    states,
    vectors,
)
from tests.factories import make_ended_session, run_jobs


@pytest.mark.requirement("CH-86")
def test_a_model_is_changed_by_command_alone(porter):
    owner = make_ended_session(porter, TEXTS).owner
    before = search(owner=owner, query=QUESTION, limit=9)

    reembed(**NEW)
    assert (states(), vectors()) == ({384: "current", 64: "building"}, {384: 3, 64: 3})
    said = act("switch")

    assert "is current; 0 texts wait" in said
    assert states() == {384: "retired", 64: "current"}
    assert set(Chunk.objects.values_list("embedding_state", flat=True)) == {"done"}
    assert found_by_vectors(owner)[0] == TEXTS[0]
    assert search(owner=owner, query=QUESTION, limit=9).hits == before.hits
    assert AuditEntry.objects.get(action="space.switch").subject == "hashing (64)"
    assert make_ended_session(porter, ["The gate is red."]).state == "closed"
    assert vectors() == {384: 3, 64: 4}
    assert act("rollback").count("current") == 1
    assert (states(), vectors()) == ({384: "current", 64: "retired"}, {384: 4, 64: 4})
    assert "4 vectors deleted" in act("drop")
    assert (states(), vectors()) == ({384: "current"}, {384: 4})


def test_no_row_is_missed_while_it_goes_on(porter):
    owner = make_ended_session(porter, TEXTS).owner
    seen = []

    def ask(count: int) -> None:
        seen.append((sorted(found_by_vectors(owner)), EmbeddingSpace.objects.current().dimension))

    space = spaces.begin_space(model="hashing", version="1", dimension=64)
    reembedding.fill(space, progress=ask)
    ask(0)
    reembedding.go_over(space, actor="test")
    ask(0)
    reembedding.drop(EmbeddingSpace.objects.previous(), actor="test")
    ask(0)

    assert [texts for texts, _ in seen] == [sorted(TEXTS)] * 4
    assert [dimension for _, dimension in seen] == [384, 384, 64, 64]


def test_what_ends_after_the_build_is_caught_up_by_the_switch(porter):
    make_ended_session(porter, TEXTS)
    reembed(**NEW)
    make_ended_session(porter, ["The gate is red."])
    assert vectors() == {384: 4, 64: 3}

    act("switch")

    assert vectors() == {384: 4, 64: 4}
    assert not Chunk.objects.waiting_for_a_vector().exists()


def test_what_the_new_space_still_lacks_waits_and_is_embedded_by_the_jobs(porter):
    owner = make_ended_session(porter, TEXTS).owner
    space = spaces.begin_space(model="hashing", version="1", dimension=64)

    waiting = reembedding.go_over(space, actor="test")

    assert waiting == 3
    assert search(owner=owner, query=QUESTION, limit=9).hits
    run_jobs()
    assert vectors() == {384: 3, 64: 3}
    assert not Chunk.objects.waiting_for_a_vector().exists()
    assert set(SessionStep.objects.values_list("state", flat=True)) == {"done"}


def test_a_chunk_that_only_the_new_model_could_embed_is_embedded_then(porter):
    make_ended_session(porter, TEXTS)
    Chunk.objects.filter(text=TEXTS[0]).update(embedding_state="failed")
    Embedding.objects.filter(document=1).delete()
    reembed(**NEW)

    act("switch")

    assert set(Chunk.objects.values_list("embedding_state", flat=True)) == {"done"}


def test_details_without_vectors_stay_without(porter):
    make_ended_session(porter, TEXTS)
    space = spaces.begin_space(model="hashing", version="1", dimension=64)
    Chunk.objects.filter(text=TEXTS[0]).update(embedding_state="dropped")
    reembedding.fill(space)
    assert vectors()[64] == 2
    # One that lost its vector between the last batch and the switch.
    Chunk.objects.filter(text=TEXTS[1]).update(embedding_state="dropped")

    reembedding.go_over(space, actor="test")

    assert vectors()[64] == 1
    assert sorted(Chunk.objects.values_list("embedding_state", flat=True)) == [
        "done",
        "dropped",
        "dropped",
    ]


class Refusing(HashingEmbedder):
    def embed(self, texts, *, seconds=None):
        raise ProviderRefused("status 401")


def test_going_back_does_not_need_the_old_model(porter, monkeypatch):
    owner = make_ended_session(porter, TEXTS).owner
    reembed(**NEW)
    act("switch")
    make_ended_session(porter, ["The gate is red."])
    monkeypatch.setattr(reembedding, "embedder_for", lambda space: Refusing(384))

    said = act("rollback")

    assert "provider_refused" in said
    assert "1 texts wait" in said
    assert "The gate is red." in {
        hit.text for hit in search(owner=owner, query="red gate", limit=9).hits
    }


class Switching(HashingEmbedder):
    """Another process switches while the provider is asked."""

    def embed(self, texts, *, seconds=None):
        other = EmbeddingSpace.objects.building()
        if other:
            spaces.switch(other)
        return super().embed(texts)


def test_a_batch_of_the_old_model_is_not_written_after_a_switch(porter, monkeypatch):
    make_ended_session(porter, TEXTS)
    reembed(**NEW)
    monkeypatch.setattr(
        "consolidation.embedding.fill.embedder_for", lambda space: Switching(space.dimension)
    )

    make_ended_session(porter, ["The gate is red."])

    assert vectors() == {384: 3, 64: 4}
    assert not Chunk.objects.waiting_for_a_vector().exists()


def test_the_current_space_is_neither_built_nor_dropped(porter):
    make_ended_session(porter, TEXTS)

    with pytest.raises(CommandError, match="is current"):
        reembed(model="hashing")
    with pytest.raises(CommandError, match="no such space"):
        act("drop", model="hashing")
    with pytest.raises(SpaceInUse):
        spaces.give_up(EmbeddingSpace.objects.current())
    with pytest.raises(SpaceInUse):
        spaces.switch(EmbeddingSpace.objects.current())


def test_a_space_that_was_begun_can_be_dropped_by_name(porter):
    make_ended_session(porter, TEXTS)
    reembed(**NEW)

    act("drop", model="hashing", dimension=64)

    assert states() == {384: "current"}


@pytest.mark.parametrize("name", ["switch", "rollback", "drop"])
def test_every_act_can_be_tried_dry(porter, name):
    make_ended_session(porter, TEXTS)
    reembed(**NEW)
    act("switch")
    reembed(model="hashing", dimension=32)
    before = states(), vectors()

    assert act(name, dry_run=True).startswith("would ")

    assert (states(), vectors()) == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"act": "switch"}, "no such space"),
        ({"act": "rollback"}, "no space was current before"),
        ({"compare": Path()}, "no space is current"),
        ({"model": "hashing"}, "nothing is embedded yet"),
        ({"model": "text-embedding-3-large"}, "needs OPENAI_API_KEY"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(db, options, sentence):
    with pytest.raises(CommandError, match=sentence):
        reembed(**options)


@pytest.mark.django_db(transaction=True)
def test_graphs_are_ready_when_it_switches_and_go_when_it_drops(porter, settings):
    settings.GRAPH_ROWS = 2
    owner = make_ended_session(porter, TEXTS).owner
    graphs.grow()
    old = EmbeddingSpace.objects.current()
    reembed(**NEW)

    act("switch")

    new = EmbeddingSpace.objects.current()
    assert OwnerIndex.objects.get().graph_space == new.pk
    assert graph_names(owner) == sorted(
        f"memory_graph_{owner.pk}_{space.pk}" for space in (old, new)
    )
    assert found_by_vectors(owner)[0] == TEXTS[0]
    act("drop")
    assert graph_names(owner) == [f"memory_graph_{owner.pk}_{new.pk}"]
    graphs.drop(new)


def graph_names(owner) -> list[str]:
    with connection.cursor() as cursor:
        mine = f"memory_graph_{owner.pk}_%"
        cursor.execute("select indexname from pg_indexes where indexname like %s", (mine,))
        return sorted(row[0] for row in cursor.fetchall())
