import math

import pytest
from rank_bm25 import BM25Okapi

from knowledge.workspace.search import BM25
from ranking.bm25 import Index
from ranking.plain import STOP_WORDS, best_line, plain_tokens

CORPUS = [
    "The cat sat on the mat, and the cat slept.",
    "Dogs chase cats; dogs bark at 3 am.",
    "Flight LH123 to Lisbon leaves at 08:15 on Monday",
    "cat",
    "Notes of the day: cat food, dog food, bird food, fish food.",
]


class Independent(BM25Okapi):  # type: ignore[misc]  # the package is untyped
    """The library's BM25 with the idf that is never negative."""

    def _calc_idf(self, nd):
        for word, documents in nd.items():
            odds = (self.corpus_size - documents + 0.5) / (documents + 0.5)
            self.idf[word] = math.log(odds + 1)


@pytest.mark.parametrize("query", ["cat", "cat food", "dogs at lisbon monday", "the food of cats"])
def test_scores_are_those_of_an_independent_library(query):
    index = Index(plain_tokens, BM25)
    for place, text in enumerate(CORPUS):
        index.add(place, text)
    library = Independent([plain_tokens(text) for text in CORPUS], k1=1.5, b=0.75)

    mine = dict(index.search(query, len(CORPUS)))

    expected = library.get_scores(plain_tokens(query))
    assert mine
    for place, score in enumerate(expected):
        assert mine.get(place, 0.0) == pytest.approx(score, abs=1e-6)


@pytest.mark.requirement("OL-26")
def test_tokens_are_words_of_any_script_of_two_characters_without_stop_words():
    assert len(STOP_WORDS) == 26
    assert plain_tokens("The Cat's 2 mats: LH123, caf\u00e9 x") == [
        "cat",
        "mats",
        "lh123",
        "caf\u00e9",
    ]
    assert plain_tokens("M\u00fcller \u043a\u043e\u0442") == ["m\u00fcller", "\u043a\u043e\u0442"]
    assert plain_tokens("\u6211\u732b") == ["\u6211", "\u732b", "\u6211\u732b"]


def test_the_best_line_holds_most_of_the_words_and_is_cut():
    text = "# Notes\n\n- a cat\n- a cat that eats trout\n"
    assert best_line(text, "cat trout") == "- a cat that eats trout"
    assert len(best_line("cat " * 200, "cat")) == 300
    assert best_line("", "cat") == ""
