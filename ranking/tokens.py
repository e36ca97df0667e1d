"""Text to tokens, for indexing, search and the comparison of texts alike."""

import re
import unicodedata
import zlib
from collections.abc import Iterator
from itertools import pairwise

from ranking.languages import default_stop_words, detect, is_stop_word, stem

# Longer runs are keys and noise, and would make one term of any size.
LONGEST_WORD = 64
# Scripts written without spaces between words: Thai to Khmer, Kana, Han, Hangul.
DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
TOKEN = re.compile(rf"[{DENSE}]|[^\W_{DENSE}]+(?:['\u2019][^\W_{DENSE}]+)*")
RUN = re.compile(rf"[{DENSE}]+|[^\W_{DENSE}]+(?:['\u2019][^\W_{DENSE}]+)*")
IS_DENSE = re.compile(rf"[{DENSE}]")
ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)\Z")
POSSESSIVE = re.compile(r"['\u2019]s?\Z|['\u2019]")


def fold(text: str) -> str:
    """Return one form of texts that differ in width, ligature or case only."""
    return unicodedata.normalize("NFKC", text).casefold()


def tokens(text: str) -> list[str]:
    """Return the words of a text, folded, in order; of dense scripts each character is a token."""
    return [word[:LONGEST_WORD] for word in TOKEN.findall(fold(text))]


def meaningful(text: str) -> list[str]:
    """Return the tokens that say something: no stop words, no single letters."""
    kept = (t for t in tokens(text) if len(t) > 1 or IS_DENSE.match(t))
    return [token for token in kept if token not in default_stop_words()]


def runs(text: str) -> Iterator[str]:
    """Yield the words of a text, folded and unstemmed, two letters or longer.

    Of a run in a dense script each character and each pair is yielded.
    """
    for run in RUN.findall(fold(text)):
        if IS_DENSE.match(run):
            yield from run
            yield from (first + second for first, second in pairwise(run))
        elif len(word := POSSESSIVE.sub("", run[:LONGEST_WORD])) > 1:
            yield word


def index_terms(text: str, language: str) -> list[str]:
    """Return the terms a text is found by, with repetitions, in the order of the text.

    Words are stemmed in their language and its stop words dropped; `8th` becomes `8`. Of a run in
    a dense script each character and each pair is a term.
    """
    return [term for run in RUN.findall(fold(text)) for term in _terms(run, language)]


def query_terms(text: str, language: str) -> list[str]:
    """Return the distinct terms of a question: in the given language, and in the one it looks like.

    A question of few words may be taken for another language than the text it asks for.
    """
    found = index_terms(text, language)
    other = detect(text, language)
    if other != language:
        found += index_terms(text, other)
    return list(dict.fromkeys(found))


def term_id(term: str) -> int:
    """Return a stable 32-bit number for a term, signed as PostgreSQL's integer is."""
    number = zlib.crc32(term.encode(errors="surrogatepass"))
    return number - (1 << 32) if number >= 1 << 31 else number


def _terms(run: str, language: str) -> Iterator[str]:
    if IS_DENSE.match(run):
        yield from run
        yield from (first + second for first, second in pairwise(run))
        return
    word = POSSESSIVE.sub("", run[:LONGEST_WORD])
    ordinal = ORDINAL.match(word)
    if ordinal:
        yield ordinal[1]
    elif not is_stop_word(run, language) and not is_stop_word(word, language):
        yield stem(word, language)
