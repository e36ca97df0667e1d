from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.owners import agent_owner
from consolidation.embedding.documents import keep_document
from knowledge.models import KnowledgeDocument
from providers.registry import embedder
from ranking.bm25 import Bm25, Index
from ranking.tokens import index_terms
from recall.search.documents import search_knowledge
from recall.search.hits import Filters
from recall.search.questions.question import SearchMode
from tests.factories import run_jobs

NOTES = {
    "trains": "The night train to Lisbon leaves at nine, and only on Fridays.",
    "kitchen": "Tea is in the left cupboard, behind the rice.",
    "garden": "Tomatoes are planted in May. The train of thought about tomatoes ends here.",
}


@pytest.fixture
def owner(porter):
    for key, content in NOTES.items():
        keep_document(agent=porter, actor="test", key=key, content=content)
    run_jobs()
    return agent_owner(porter)


def keys(found) -> list[str]:
    return [hit.key for hit in found.hits]


@pytest.mark.requirement("CH-65")
def test_it_is_found_by_its_words(owner):
    found = search_knowledge(owner=owner, query="planting tomatoes", limit=5, mode=SearchMode.TEXT)

    assert keys(found) == ["garden"]
    assert found.searched_by == "words"
    assert found.hits[0].text == NOTES["garden"]


@pytest.mark.requirement("CH-65")
def test_it_is_found_by_its_meaning(porter, settings):
    settings.EMBEDDER = "local"
    embedder.cache_clear()
    for key, content in NOTES.items():
        keep_document(agent=porter, actor="test", key=key, content=content)
    run_jobs()

    found = search_knowledge(
        owner=agent_owner(porter),
        query="where do I find a hot drink",
        limit=3,
        mode=SearchMode.SEMANTIC,
    )

    assert keys(found)[0] == "kitchen"
    assert found.searched_by == "vectors"
    assert found.hits[0].signals.words == 0


def test_both_are_added(porter, settings):
    settings.EMBEDDER = "local"
    embedder.cache_clear()
    for key, content in NOTES.items():
        keep_document(agent=porter, actor="test", key=key, content=content)
    run_jobs()

    found = search_knowledge(owner=agent_owner(porter), query="the train to Lisbon", limit=3)

    first = found.hits[0]
    assert (found.searched_by, first.key) == ("words+vectors", "trains")
    assert first.score == pytest.approx(first.signals.words + 0.5 * first.signals.meaning)


def test_the_words_are_those_of_the_reference(owner):
    """The same BM25 over its ceiling that a plain implementation gives."""
    index = Index(lambda text: index_terms(text, "english"), Bm25())
    for key, content in NOTES.items():
        index.add(key, f"{key}\n{content}")
    query = "the train and the tomatoes"
    idfs = [Bm25().idf(3, index.containing[term]) for term in index_terms(query, "english")]

    found = search_knowledge(owner=owner, query=query, limit=5, mode=SearchMode.TEXT)

    expected = [(key, score / Bm25().ceiling(idfs)) for key, score in index.search(query, 5)]
    assert keys(found) == [key for key, _ in expected]
    assert [hit.score for hit in found.hits] == pytest.approx([score for _, score in expected])


def test_the_key_is_one_of_its_words(owner):
    assert keys(search_knowledge(owner=owner, query="kitchen", limit=5)) == ["kitchen"]


def test_words_are_found_in_every_script(porter):
    for said in ("我家有一只猫,它只吃鱼", "У меня живёт рыжий кот"):
        keep_document(agent=porter, actor="test", content=said)

    for asked, said in (
        ("猫吃什么", "我家有一只猫,它只吃鱼"),
        ("рыжего кота", "У меня живёт рыжий кот"),
    ):
        found = search_knowledge(owner=agent_owner(porter), query=asked, limit=1)
        assert found.hits[0].text == said


def test_without_a_model_words_answer(owner, settings):
    settings.EMBEDDER = "null"
    embedder.cache_clear()

    found = search_knowledge(owner=owner, query="tomatoes", limit=5, mode=SearchMode.SEMANTIC)

    assert found.searched_by == "words"


def test_another_agent_s_knowledge_is_never_found(owner, rival):
    keep_document(agent=rival, actor="test", content="nothing of note")

    found = search_knowledge(owner=agent_owner(rival), query="tomatoes train tea note", limit=9)

    assert [hit.text for hit in found.hits] == ["nothing of note"]


def test_times_are_those_of_the_last_writing(owner):
    long_ago = timezone.now() - timedelta(days=9)
    KnowledgeDocument.objects.filter(key="garden").update(updated_at=long_ago)
    week_ago = timezone.now() - timedelta(days=7)

    for filters, expected in (
        (Filters(since=week_ago), ["trains"]),
        (Filters(until=week_ago), ["garden"]),
        (Filters(as_of=week_ago), ["garden"]),
        (Filters(speaker="user"), []),
    ):
        found = search_knowledge(owner=owner, query="train", limit=5, filters=filters)
        assert keys(found) == expected
