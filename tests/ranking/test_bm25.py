import math

import pytest

from ranking.bm25 import Bm25, Index


@pytest.fixture
def index() -> Index:
    made = Index(str.split)
    made.add("a", "cat cat dog")
    made.add("b", "dog fish")
    made.add("c", "fish")
    return made


@pytest.mark.requirement("CT-32")
def test_the_score_is_the_formula(index):
    (name, score), *_ = index.search("cat", 5)

    idf = math.log((3 - 1 + 0.5) / (1 + 0.5) + 1)
    assert name == "a"
    assert score == pytest.approx(idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2)))


def test_no_score_reaches_the_ceiling(index):
    bm25 = Bm25()
    (_, score), *_ = index.search("cat dog", 5)

    assert score < bm25.ceiling([bm25.idf(3, 1), bm25.idf(3, 2)])


def test_what_is_removed_is_not_found_and_counts_no_more(index):
    index.remove("a")
    index.remove("a")

    assert index.search("cat", 5) == []
    assert index.total == 3


def test_an_added_name_replaces_its_document(index):
    index.add("a", "bird")

    assert [name for name, _ in index.search("cat bird", 5)] == ["a"]


def test_an_empty_index_finds_nothing():
    assert Index(str.split).search("cat", 5) == []
