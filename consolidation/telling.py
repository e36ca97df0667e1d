"""Which sentences tell of a thing that is to be forgotten, in whoever's words (pure)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from django.db.models import Q

from knowledge.models import Fact, Rule
from knowledge.tombstones import words
from ranking.passages import sentences
from ranking.similarity import token_recall
from ranking.tokens import IS_DENSE, TOKEN, fold, meaningful

# A shorter quote stands in what has nothing to do with it.
LEAST_QUOTE = 8
# Of the words of a sentence that says no more than the fact, so many are the fact's.
MOST_ARE_ITS = 0.6
LONG_NUMBER = re.compile(r"\d{3}")
POSSESSIVE = re.compile(r"['\u2019]s?\Z")
# So many words leave to the database few rows that have nothing to do with a quote.
MOST_SOUGHT = 8


@dataclass(frozen=True, slots=True)
class Telling:
    """What a thing is known by: whole quotes, the words of its object, and the names among them.

    `around` are the other words of its quote; `written` are the object's words as they stand there.
    """

    quotes: tuple[str, ...]
    object: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    written: tuple[str, ...] = ()

    @property
    def sought(self) -> Sequence[str]:
        """The words, as they are written, that a text with the object holds."""
        named = [word for word in self.written if fold(word) in self.names]
        return named or self.written

    @property
    def is_known_by_one(self) -> bool:
        """Say whether one of the words alone may tell it: where there is no name, in plain words."""
        return not self.names and not any(map(IS_DENSE.search, self.object))

    def is_in(self, sentence: str) -> bool:
        """Say whether a sentence tells it.

        The whole quote does, and so does a name. What has none needs all words of the object and
        one more of the quote; or a word of the object, among words six in ten of which are its.
        """
        said, found = f" {words(sentence)} ", _meant(sentence)
        if any(f" {words(quote)} " in said for quote in self.quotes):
            return True
        if self.names:
            return self.names <= found
        if not self.object & found:
            return False
        if token_recall(found, self.object | self.around) >= MOST_ARE_ITS:
            return True
        if any(map(IS_DENSE.search, self.object)):
            return f" {words(' '.join(self.written))} " in said
        return self.object <= found and bool(found & self.around)


def telling_of(item: Fact | Rule) -> Telling:
    """Return what a fact is known by; a rule is known by its quotes alone."""
    if isinstance(item, Rule):
        return Telling(tuple(quote for quote in item.evidence if len(quote) >= LEAST_QUOTE))
    quote, named = item.evidence_quote, _meant(item.object)
    return Telling(
        quotes=(quote,) if len(quote) >= LEAST_QUOTE else (),
        object=named,
        names=_names(item.object, quote) & named,
        around=_meant(quote) - named,
        written=tuple(word for word in _bare(item.object) if fold(word) in named),
    )


def may_tell(column: str, tellings: Iterable[Telling]) -> Q:
    """Return what leaves to the database most rows that cannot tell: there may be many."""
    found = Q(pk=None)
    for one in tellings:
        for text in one.quotes:
            found |= reduce(and_, _holding(column, _longest(text)))
        if one.sought:
            join = or_ if one.is_known_by_one else and_
            found |= reduce(join, _holding(column, one.sought))
    return found


def tells(text: str, tellings: Sequence[Telling]) -> bool:
    """Say whether any sentence of a text tells any of these."""
    return any(one.is_in(text) for one in tellings) or any(
        one.is_in(sentence) for sentence in sentences(text) for one in tellings
    )


def without(text: str, tellings: Sequence[Telling]) -> str:
    """Return a text without the sentences that tell any of these; the text itself if none does."""
    said = sentences(text)
    kept = [one for one in said if not any(telling.is_in(one) for telling in tellings)]
    return text if len(kept) == len(said) else " ".join(kept)


def _holding(column: str, texts: Iterable[str]) -> Iterable[Q]:
    return (Q(**{f"{column}__icontains": text}) for text in texts)


def _longest(quote: str) -> Sequence[str]:
    """Return words of a quote: what is between them may be written otherwise, or escaped."""
    found = sorted({*TOKEN.findall(quote)}, key=lambda word: (-len(word), word))
    return found[:MOST_SOUGHT] or [quote]


def _bare(text: str) -> list[str]:
    """Return the words of a text as they are written, without the ending of whose it is."""
    return [POSSESSIVE.sub("", word) for word in TOKEN.findall(text)]


def _meant(text: str) -> frozenset[str]:
    return frozenset(POSSESSIVE.sub("", word) for word in meaningful(text))


def _names(object: str, quote: str) -> frozenset[str]:
    """Return the words of an object that are names: numbers, and capitals inside a sentence."""
    inside = {word for one in sentences(quote) for word in _bare(one)[1:]}
    written = _bare(object)
    alone = len(written) == 1
    return frozenset(_folded(word for word in written if _is_name(word, inside, is_alone=alone)))


def _is_name(word: str, inside: set[str], *, is_alone: bool) -> bool:
    if LONG_NUMBER.search(word):
        return True
    return word[0].isupper() and (is_alone or word in inside)


def _folded(found: Iterable[str]) -> Iterable[str]:
    return map(fold, found)
