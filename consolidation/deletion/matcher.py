"""Which sentences tell of a thing that is to be forgotten, in whoever's words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Self

from django.db.models import Q

from knowledge.items.tombstones import words
from knowledge.models import Fact, Rule
from ranking.passages import sentences
from ranking.similarity import token_recall
from ranking.tokens import IS_DENSE, TOKEN, fold, meaningful

# A shorter quote stands in what has nothing to do with it.
LEAST_QUOTE = 8
# Of the words of a sentence that says no more than the fact, so many are the fact's.
MOST_ARE_ITS = 0.6
# A year or a round number is said of many things.
LONG_NUMBER = re.compile(r"\d{5}")
# An amount in groups, or as one number: five digits of it are told of one thing, unless it is round.
AMOUNT = re.compile(r"(?<!\d)\d{1,3}(?:[.,'\u2019 ]\d{3})+(?!\d)|\d{5,}")
ROUND = re.compile(r"\d{1,2}0+")
SEPARATORS = ("", ",", ".", " ", "'", "\u2019")
POSSESSIVE = re.compile(r"['\u2019]s?\Z")
# So many words leave to the database few rows that have nothing to do with a quote.
MOST_SOUGHT = 8


@dataclass(frozen=True, slots=True)
class ComparedSentence:
    """A sentence as it is compared: all its words in order, and those that mean something."""

    words: str
    meant: frozenset[str]
    amounts: frozenset[str]

    @classmethod
    def of(cls, sentence: str) -> Self:
        """Read a sentence."""
        return cls(f" {words(sentence)} ", _meant(sentence), _amounts(sentence))


@dataclass(frozen=True, slots=True)
class Matcher:
    """What a thing is known by: whole quotes, the words of its object, and the names among them.

    `around` are the other words of its quote; `written` are the object's words as they stand there.
    `amounts` are the digits of its numbers that have five and more and are not round.
    """

    quotes: tuple[str, ...]
    object: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    written: tuple[str, ...] = ()
    amounts: frozenset[str] = frozenset()

    @property
    def quoted(self) -> Sequence[str]:
        """The quotes in the form in which texts are compared."""
        return [words(quote) for quote in self.quotes]

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
        one more of the quote, if it says more; or a word of the object, among words six in ten of
        which are its.
        """
        return self.is_among(ComparedSentence.of(sentence))

    def is_among(self, said: ComparedSentence) -> bool:
        """Say the same of words that were read already."""
        if any(f" {quote} " in said.words for quote in self.quoted):
            return True
        if not said.amounts.isdisjoint(self.amounts):
            return True
        if self.names:
            return self.names <= said.meant
        if not self.object & said.meant:
            return False
        if token_recall(said.meant, self.object | self.around) >= MOST_ARE_ITS:
            return True
        if any(map(IS_DENSE.search, self.object)):
            return f" {words(' '.join(self.written))} " in said.words
        return self.object <= said.meant and (not self.around or bool(said.meant & self.around))


def matcher_of(item: Fact | Rule) -> Matcher:
    """Return what a fact is known by; a rule is known by its quotes alone."""
    if isinstance(item, Rule):
        return Matcher(tuple(quote for quote in item.evidence if len(quote) >= LEAST_QUOTE))
    quote, named = item.evidence_quote, _meant(item.object)
    return Matcher(
        quotes=(quote,) if len(quote) >= LEAST_QUOTE else (),
        object=named,
        names=_names(item.object, quote) & named,
        around=_meant(quote) - named,
        written=tuple(word for word in _bare(item.object) if fold(word) in named),
        amounts=_amounts(f"{item.object}\n{quote}"),
    )


def may_match(column: str, matchers: Iterable[Matcher]) -> Q:
    """Return what leaves to the database most rows that cannot tell: there may be many."""
    found = Q(pk=None)
    for one in matchers:
        for text in one.quotes:
            found |= reduce(and_, _holding(column, _longest(text)))
        writings = (_grouped(amount, mark) for amount in one.amounts for mark in SEPARATORS)
        found = reduce(or_, _holding(column, writings), found)
        if one.sought:
            join = or_ if one.is_known_by_one else and_
            found |= reduce(join, _holding(column, one.sought))
    return found


def matches(text: str, matchers: Sequence[Matcher]) -> bool:
    """Say whether any sentence of a text tells any of these."""
    whole = ComparedSentence.of(text)
    if not _may(whole, matchers):
        return False
    said = [whole, *(ComparedSentence.of(one) for one in sentences(text))]
    return any(matcher.is_among(one) for one in said for matcher in matchers)


def without(text: str, matchers: Sequence[Matcher]) -> str:
    """Return a text without the sentences that tell any of these; the text itself if none does."""
    said = sentences(text)
    kept = [one for one in said if not _is_told(ComparedSentence.of(one), matchers)]
    return text if len(kept) == len(said) else " ".join(kept)


def _is_told(said: ComparedSentence, matchers: Sequence[Matcher]) -> bool:
    return any(one.is_among(said) for one in matchers)


def _may(said: ComparedSentence, matchers: Sequence[Matcher]) -> bool:
    """Say whether a text has any word that one of its sentences needs to tell."""
    return any(
        not said.meant.isdisjoint(one.object)
        or any(quote in said.words for quote in one.quoted)
        or not said.amounts.isdisjoint(one.amounts)
        for one in matchers
    )


def _holding(column: str, texts: Iterable[str]) -> Iterable[Q]:
    return (Q(**{f"{column}__icontains": text}) for text in texts)


def _longest(quote: str) -> Sequence[str]:
    """Return words of a quote: what is between them may be written otherwise, or escaped."""
    found = sorted({*TOKEN.findall(quote)}, key=lambda word: (-len(word), word))
    return found[:MOST_SOUGHT] or [quote]


def _bare(text: str) -> list[str]:
    """Return the words of a text as they are written, without the ending of whose it is."""
    return [POSSESSIVE.sub("", word) for word in TOKEN.findall(text)]


def _amounts(text: str) -> frozenset[str]:
    """Return the digits of numbers that are told of one thing."""
    found = ("".join(filter(str.isdigit, one)) for one in AMOUNT.findall(text))
    return frozenset(one for one in found if len(one) >= 5 and not ROUND.fullmatch(one))


def _grouped(digits: str, mark: str) -> str:
    """Return a number with a mark between its thousands."""
    return f"{int(digits):,}".replace(",", mark)


def _meant(text: str) -> frozenset[str]:
    return frozenset(POSSESSIVE.sub("", word) for word in meaningful(text))


def _names(object: str, quote: str) -> frozenset[str]:
    """Return the words of an object that are names: long numbers, and capitals inside a sentence.

    One word alone is a name as well where its quote begins with it, or does not hold it.
    """
    inside = {word for one in sentences(quote) for word in _bare(one)[1:]}
    written, small = _bare(object), {word for word in inside if word.islower()}
    alone = len(written) == 1
    return frozenset(
        fold(word)
        for word in written
        if LONG_NUMBER.search(word)
        or (word[0].isupper() and (word in inside or (alone and word.lower() not in small)))
    )
