"""Saved facts found in three tiers."""

import pytest
from django.utils import timezone

from accounts.owners import resolve_owner
from consolidation.embedding.save_fact import keep_fact
from knowledge.models import SavedFact
from knowledge.saved_facts.save import NewFact
from ranking.decay import blended
from recall.search.questions.text_vectors import SWITCH, Switch, vector_of
from recall.search.saved_facts import recall_saved, search_saved
from tests.recall.concepts import concepts, space  # noqa: F401 - fixtures


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def keep(owner, key, value, category="general"):
    fact = NewFact(key, value, category)
    return keep_fact(owner=owner, fact=fact, source="tool")


def keys(found):
    return [hit.fact.key for hit in found.hits]


@pytest.mark.requirement("OL-27")
@pytest.mark.requirement("OL-44")
def test_a_fact_is_found_by_what_it_means(alice, concepts):  # noqa: F811
    keep(alice, "pet", "a kitten named Whiskerino", "pets")
    keep(alice, "travel", "by train", "travel")

    found = search_saved(owner=alice, query="cat", limit=1)

    assert keys(found) == ["pet"]
    assert found.searched_by == "words+vectors"
    assert found.hits[0].keyword == 0
    assert found.hits[0].vector > 0.8


@pytest.mark.requirement("OL-28")
@pytest.mark.parametrize("query", ["Whiskerino?", "my pets!", "household", "a | b & whiskerino:*"])
def test_words_are_found_in_key_value_and_category(alice, query):
    keep(alice, "pet", "named Whiskerino", "household")
    keep(alice, "train", "at nine", "travel")

    found = search_saved(owner=alice, query=query, limit=5)

    assert keys(found) == ["pet"]
    assert (found.searched_by, found.hits[0].keyword, found.hits[0].vector) == ("words", 1.0, 0.0)


@pytest.mark.requirement("OL-28")
def test_a_question_without_words_finds_nothing(alice):
    keep(alice, "pet", "a cat")

    for query in ("", "?!", "the", " " * 9):
        assert keys(search_saved(owner=alice, query=query, limit=5)) == []


@pytest.mark.requirement("OL-31")
def test_within_a_category_a_busy_one_beside_it_hides_nothing(alice, concepts):  # noqa: F811
    for number in range(40):
        keep(alice, f"cat {number}", "cat " * 3, f"zoo{number}")
    keep(alice, "trip", "a journey with the cat by train", "Travel")

    assert keys(search_saved(owner=alice, query="cat", limit=2, category="travel")) == ["trip"]
    assert keys(search_saved(owner=alice, query="cat", limit=2, category="none")) == []


@pytest.mark.requirement("OL-32")
@pytest.mark.requirement("OL-33")
def test_the_nearest_categories_come_first_and_the_others_fill_up_once(alice, concepts):  # noqa: F811
    topics = (("pets", "cat"), ("dogs", "dog"), ("travel", "train"), ("food", "bread"))
    for topic, word in topics:
        # Alike, and not so alike that the two become one.
        for number, more in enumerate(("", " soup cat" if word == "bread" else " soup")):
            keep(alice, f"{topic} {number}", word + more, topic)
    # By its words the best of all, and in the category that is farthest.
    SavedFact.objects.filter(key="food 1").update(decay_score=10)

    three = keys(search_saved(owner=alice, query="cat dog train", limit=6))
    every = keys(search_saved(owner=alice, query="cat dog train", limit=8))

    assert {key.split()[0] for key in three} == {"pets", "dogs", "travel"}
    assert set(every[:6]) == set(three)
    assert every[6:] == ["food 1", "food 0"]
    assert len(set(every)) == 8


@pytest.mark.requirement("OL-34")
def test_a_score_is_the_formula_of_its_parts(alice, concepts):  # noqa: F811
    keep(alice, "pet", "a cat", "pets")
    keep(alice, "other pet", "a cat and a dog and soup", "pets")
    SavedFact.objects.filter(key="pet").update(decay_score=3.0)

    hits = search_saved(owner=alice, query="cat", limit=5).hits

    assert {hit.keyword for hit in hits} <= {0.0, 1.0}
    for hit in hits:
        assert 0 < hit.vector <= 1
        assert hit.score == pytest.approx(blended(hit.vector, hit.keyword, hit.fact.decay_score))
    assert hits[0].fact.key == "pet"


@pytest.mark.requirement("OL-38")
def test_an_access_is_counted_of_what_was_returned_and_of_nothing_else(alice, concepts):  # noqa: F811
    for number in range(6):
        keep(alice, f"cat {number}", "cat" + "s" * number, f"c{number}")
    before = timezone.now()

    search_saved(owner=alice, query="cat", limit=2)
    assert not SavedFact.objects.filter(access_count__gt=0).exists()
    returned = set(keys(recall_saved(owner=alice, query="cat", limit=2)))

    touched = SavedFact.objects.filter(access_count=1)
    assert {fact.key for fact in touched} == returned
    assert len(returned) == 2
    assert all(fact.last_accessed_at >= before and fact.decay_score > 1 for fact in touched)
    assert SavedFact.objects.filter(access_count=0, last_accessed_at=None).count() == 4


def test_nobody_finds_what_is_another_users(alice, porter, concepts):  # noqa: F811
    keep(alice, "pet", "a cat", "pets")
    bob = resolve_owner(agent=porter, user="bob")

    assert keys(search_saved(owner=bob, query="cat", limit=5)) == []


@pytest.mark.requirement("OL-48")
def test_after_three_failures_in_a_row_the_words_answer_until_vectors_are_on_again(
    alice,
    concepts,  # noqa: F811
):
    keep(alice, "pet", "a cat", "pets")
    concepts.fails, before = True, concepts.calls

    answers = [search_saved(owner=alice, query="cat", limit=5) for _ in range(5)]

    assert [keys(answer) for answer in answers] == [["pet"]] * 5
    assert [answer.degraded for answer in answers] == ["provider_unavailable"] * 3 + [
        "vectors_off"
    ] * 2
    assert concepts.calls == before + 3
    concepts.fails = False
    assert search_saved(owner=alice, query="cat", limit=5).degraded == "vectors_off"
    SWITCH.enable()
    assert search_saved(owner=alice, query="cat", limit=5).searched_by == "words+vectors"


@pytest.mark.requirement("OL-48")
def test_vectors_come_back_by_themselves_after_a_rest_that_failures_double():
    now = [0.0]
    switch = Switch(clock=lambda: now[0])
    for _ in range(3):
        switch.note(failed=True)

    def is_on_at(seconds: float) -> bool:
        now[0] = seconds
        return switch.is_on

    assert [is_on_at(seconds) for seconds in (0, 29, 30)] == [False, False, True]
    switch.note(failed=True)
    assert [is_on_at(seconds) for seconds in (89, 90)] == [False, True]
    switch.note(failed=False)
    assert is_on_at(0)


@pytest.mark.requirement("OL-48")
def test_one_success_between_forgives_the_failures(alice, concepts):  # noqa: F811
    for fails in (True, True, False, True, True):
        concepts.fails = fails
        search_saved(owner=alice, query="cat", limit=5)

    assert SWITCH.is_on


@pytest.mark.requirement("OL-49")
def test_a_vector_of_another_length_is_left_to_the_words_and_logged(alice, concepts, caplog):  # noqa: F811
    keep(alice, "dog", "a dog", "pets")
    concepts.length = 3

    saved = keep(alice, "pet", "a cat", "pets")
    found = search_saved(owner=alice, query="cat", limit=5)

    assert saved.embedding is None
    assert (keys(found), found.degraded) == (["pet"], "wrong_dimension")
    assert "wrong dimension" in caplog.text
    assert SWITCH.is_on


def test_a_fact_of_another_space_is_found_by_its_words(alice, concepts, space):  # noqa: F811
    keep(alice, "pet", "a cat", "pets")
    other = type(space).objects.create(model="x", version="x", dimension=3, state="retired")
    SavedFact.objects.update(space=other, embedding=[1, 0, 0])

    assert keys(search_saved(owner=alice, query="cat", limit=5)) == ["pet"]


@pytest.mark.requirement("OL-48")
@pytest.mark.parametrize("name", ["null", "openai"])
def test_without_a_model_everything_works_on_words(alice, space, settings, name):  # noqa: F811
    settings.EMBEDDER = name
    keep(alice, "pet", "a cat", "pets")

    assert keys(recall_saved(owner=alice, query="cat", limit=5)) == ["pet"]
    SWITCH.enable()
    assert vector_of(alice.agent_id, "cat")[0] is None
    SWITCH.enable()
