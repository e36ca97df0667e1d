"""Text like somebody's, without anybody's: a chain of word pairs over our own documentation."""

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from bench.rig import ROOT

OPENINGS = ("What did she say about", "When was it that", "Who told us why", "Where do we keep")
QUESTION_WORDS = (4, 9)
PASSAGE_WORDS = (80, 115)


class Prose:
    """An endless, repeatable source of passages and questions."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.follows: dict[str, list[str]] = defaultdict(list)
        for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]):
            words = re.findall(r"[A-Za-z']+", path.read_text())
            for first, second in pairwise(words):
                self.follows[first].append(second)
        self.openers = sorted(self.follows)

    def passage(self) -> str:
        return self._words(self.random.randint(*PASSAGE_WORDS)) + "."

    def questions(self) -> Iterator[str]:
        """Yield questions, none of them twice."""
        known = set()
        while True:
            words = self._words(self.random.randint(*QUESTION_WORDS))
            question = f"{self.random.choice(OPENINGS)} {words}?"
            if question not in known:
                known.add(question)
                yield question

    def _words(self, count: int) -> str:
        word = self.random.choice(self.openers)
        words = [word]
        while len(words) < count:
            word = self.random.choice(self.follows.get(word) or self.openers)
            words.append(word)
        return " ".join(words)
