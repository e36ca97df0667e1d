"""Held candidates that say the same, brought together (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import combinations
from typing import Generic, TypeVar

from consolidation.verdict import FactCandidate, RuleCandidate
from ranking.overlap import Words, are_alike, words
from ranking.similarity import jaccard
from ranking.tokens import tokens

Item = TypeVar("Item", FactCandidate, RuleCandidate)
# "green tea" and "green salad" are two things.
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Held(Generic[Item]):
    """A candidate that waits for its session's end. One that is gated has to be said again.

    One that was let in already only waits to be written.
    """

    id: int
    item: Item
    is_gated: bool = False
    is_let_in: bool = False


@dataclass(frozen=True, slots=True)
class ComparedCandidate:
    """A candidate as it is compared: what it is about, and all it says. A rule is about nothing."""

    key: tuple[str, ...]
    turn: int
    anchor: Words
    said: Words


def clusters(
    held: Sequence[Held[Item]], language: str
) -> list[tuple[list[Held[Item]], list[ComparedCandidate]]]:
    """Return the candidates in groups that say the same, each in the order of its turns."""
    ordered = sorted(held, key=lambda one: (one.item.turn, one.id))
    looks = [look(one.item, language) for one in ordered]
    root = list(range(len(ordered)))
    for one, other in combinations(range(len(ordered)), 2):
        if _root(root, one) != _root(root, other) and _say_the_same(looks[one], looks[other]):
            root[_root(root, other)] = _root(root, one)
    groups: dict[int, list[int]] = {}
    for place in range(len(ordered)):
        groups.setdefault(_root(root, place), []).append(place)
    return [
        ([ordered[place] for place in group], [looks[place] for place in group])
        for group in groups.values()
    ]


@singledispatch
def look(item: object, language: str) -> ComparedCandidate:
    """Return a candidate as it is compared. Raises TypeError for anything else."""
    raise TypeError(type(item).__name__)


@look.register
def _fact(item: FactCandidate, language: str) -> ComparedCandidate:
    key = (item.category, item.subject, item.predicate, *tokens(item.object))
    said = words(f"{item.object} {item.quote}", language)
    return ComparedCandidate(key, item.turn, words(item.object, language), said)


@look.register
def _rule(item: RuleCandidate, language: str) -> ComparedCandidate:
    said = words(" ".join((item.text, *item.evidence)), language)
    return ComparedCandidate(tuple(tokens(item.text)), item.turn, words("", language), said)


def _say_the_same(one: ComparedCandidate, other: ComparedCandidate) -> bool:
    if one.key == other.key:
        return True
    if one.turn == other.turn:
        # What was told apart within a turn is two things.
        return False
    return _overlap(one.anchor, other.anchor) and are_alike(one.said, other.said)


def _overlap(one: Words, other: Words) -> bool:
    """Say whether two things may be one: all words of either are in the other, or most of both."""
    both = one.stems & other.stems
    is_within = both in (one.stems, other.stems) and bool(both or not (one.stems | other.stems))
    return is_within or jaccard(one.stems, other.stems) > HALF


def _root(root: list[int], place: int) -> int:
    while root[place] != place:
        root[place] = place = root[root[place]]
    return place
