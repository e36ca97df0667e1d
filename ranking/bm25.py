"""BM25, by Robertson and Zaragoza (2009), with the idf that is never negative."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bm25:
    """The two constants: how soon repetition stops counting, and how much length is held against."""

    k1: float = 1.2
    b: float = 0.75

    def idf(self, documents: int, containing: int) -> float:
        return math.log(1 + (documents - containing + 0.5) / (containing + 0.5))

    def weight(self, count: int, length: float, average: float) -> float:
        """Return what a term adds per unit of its idf: below k1 + 1, whatever its count."""
        held = self.k1 * (1 - self.b + self.b * length / average)
        return count * (self.k1 + 1) / (count + held)

    def ceiling(self, idfs: Iterable[float]) -> float:
        """Return what no document can exceed for terms of these idfs."""
        return (self.k1 + 1) * sum(idfs)


class Index:
    """An exact index in memory: documents by name, each a list of terms."""

    def __init__(self, tokenize: Callable[[str], list[str]], bm25: Bm25 | None = None) -> None:
        self.tokenize = tokenize
        self.bm25 = bm25 or Bm25()
        self.counts: dict[Hashable, Counter[str]] = {}
        self.containing: Counter[str] = Counter()
        self.total = 0

    def add(self, name: Hashable, text: str) -> None:
        """Add a document, or replace the one of this name."""
        self.remove(name)
        counts = self.counts[name] = Counter(self.tokenize(text))
        self.containing.update(counts.keys())
        self.total += counts.total()

    def remove(self, name: Hashable) -> None:
        counts = self.counts.pop(name, None)
        if counts is not None:
            self.containing.subtract(counts.keys())
            self.total -= counts.total()

    def search(self, query: str, limit: int) -> list[tuple[Hashable, float]]:
        """Return the best documents with their scores, all above 0, best first, then as added."""
        terms = dict.fromkeys(self.tokenize(query))
        idfs = {t: self.bm25.idf(len(self.counts), self.containing[t]) for t in terms}
        average = self.total / max(len(self.counts), 1) or 1.0
        scores = [
            (name, self._score(counts, idfs, average)) for name, counts in self.counts.items()
        ]
        found = [pair for pair in scores if pair[1] > 0]
        return sorted(found, key=lambda pair: -pair[1])[:limit]

    def _score(self, counts: Counter[str], idfs: dict[str, float], average: float) -> float:
        length = counts.total()
        held = (term for term in idfs if term in counts)
        return sum(idfs[t] * self.bm25.weight(counts[t], length, average) for t in held)
