"""The sentences that say most of a text, in their order: a summary without a model."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from extraction.rules.sentences import Sentence, clip
from ranking.passages import size
from ranking.tokens import meaningful

SENTENCE_WORDS = 40
# The first sentence of a line says what it is about; a tool's output is rarely what matters.
FIRST = 1.5
WEIGHTS = {"Tool": 0.3}
# Fewer words than this are a greeting.
SHORT = 3


@dataclass(frozen=True, slots=True)
class Digest:
    """`refs` are of the lines that were quoted, in order."""

    text: str
    refs: tuple[str, ...]


def digest(found: Iterable[Sentence], words: int) -> Digest:
    """Quote the sentences whose words are the most frequent, named by speaker, within `words` words."""
    clipped = [replace(one, text=clip(one.text, SENTENCE_WORDS)) for one in found]
    distinct = list({(one.speaker, one.text): one for one in reversed(clipped)}.values())[::-1]
    kept = _best(distinct, words)
    rows = [_row(speaker, list(said)) for speaker, said in groupby(kept, lambda one: one.speaker)]
    return Digest("\n".join(rows), tuple(dict.fromkeys(one.ref for one in kept if one.ref)))


def _best(found: Sequence[Sentence], words: int) -> list[Sentence]:
    scores = _scores(found)
    chosen: list[int] = []
    left = float(words)
    for place in sorted(range(len(found)), key=lambda place: (-scores[place], place)):
        cost = size(found[place].text) + 1
        if cost <= left:
            chosen.append(place)
            left -= cost
        if left < SHORT:
            break
    return [found[place] for place in sorted(chosen)]


def _scores(found: Sequence[Sentence]) -> list[float]:
    """Return the mean frequency of each sentence's words, weighed by place and speaker."""
    bags = [frozenset(meaningful(one.text)) for one in found]
    counts = Counter(word for bag in bags for word in bag)
    return [_score(one, bag, counts) for one, bag in zip(found, bags, strict=True)]


def _score(one: Sentence, bag: frozenset[str], counts: Counter[str]) -> float:
    frequency = sum(counts[word] for word in bag) / max(len(bag), SHORT)
    return frequency * (1.0 if one.place else FIRST) * WEIGHTS.get(one.speaker, 1.0)


def _row(speaker: str, said: Sequence[Sentence]) -> str:
    text = " ".join(_texts(said))
    return f"{speaker}: {text}" if speaker else text


def _texts(said: Sequence[Sentence]) -> Iterator[str]:
    return (one.text for one in said)
