"""Which language a text is in, its stop words and its stems."""

import re
import threading
from collections import Counter
from functools import cache, lru_cache

import snowballstemmer
import stop_words

DEFAULT = "english"
# The first range that holds most of a text's letters decides; Latin letters say nothing.
SCRIPTS = (
    ("greek", re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")),
    ("russian", re.compile(r"[\u0400-\u04ff]")),
    ("armenian", re.compile(r"[\u0530-\u058f]")),
    ("yiddish", re.compile(r"[\u0590-\u05ff]")),
    ("arabic", re.compile(r"[\u0600-\u06ff]")),
    ("hindi", re.compile(r"[\u0900-\u097f]")),
    ("tamil", re.compile(r"[\u0b80-\u0bff]")),
)
LATIN = (
    "english",
    "german",
    "french",
    "spanish",
    "italian",
    "portuguese",
    "dutch",
    "swedish",
    "danish",
    "norwegian",
    "finnish",
    "hungarian",
    "romanian",
    "turkish",
    "indonesian",
    "catalan",
)
# A language has to stand out this clearly before a text is taken for it.
CLEAR_HITS = 3
CLEAR_MARGIN = 1.5
# A language shows in its first words; a whole book need not be counted.
LOOKED_AT = 4_000
# Remembered per thread and language: most words are said again soon.
STEMS = 50_000
WORD = re.compile(r"[^\W\d_]+")
_stemmers = threading.local()


def detect(text: str, default: str = DEFAULT) -> str:
    """Return the language whose script, or whose stop words, fill the text; else `default`."""
    sample = text[:LOOKED_AT].casefold()
    words = WORD.findall(sample)
    letters = sum(map(len, words))
    for language, script in SCRIPTS:
        if letters and len(script.findall(sample)) * 2 > letters:
            return language
    return _by_stop_words(words, default)


def is_stop_word(word: str, language: str) -> bool:
    return word in _stop_words(language)


def default_stop_words() -> frozenset[str]:
    return _stop_words(DEFAULT)


def stem(word: str, language: str) -> str:
    """Return the stem of a folded word; the word itself where the language has no stemmer."""
    known = _stemmers.__dict__
    if language not in known:
        # A stemmer keeps its state in itself: each thread has its own.
        exists = language in snowballstemmer.algorithms()
        known[language] = (
            lru_cache(STEMS)(snowballstemmer.stemmer(language).stemWord) if exists else str
        )
    stemmed: str = known[language](word)
    return stemmed


def _by_stop_words(words: list[str], default: str) -> str:
    # Each word once: one repeated word says nothing of the language.
    said = set(words)
    hits = Counter({name: len(said & _stop_words(name)) for name in LATIN})
    (best, most), *_ = hits.most_common(1)
    clear = most >= CLEAR_HITS and most >= CLEAR_MARGIN * max(hits[default], 1)
    return best if clear else default


@cache
def _stop_words(language: str) -> frozenset[str]:
    if language not in stop_words.AVAILABLE_LANGUAGES:
        return frozenset()
    return frozenset(stop_words.get_stop_words(language))
