"""Whether an answer may be worked in, and its narrative within its words."""

from collections.abc import Sequence

from extraction.contracts.profile import NarrativeSentence
from ranking.passages import DENSE, SENTENCE, size


class AnswerUnfit(Exception):
    """The answer fits its contract and would spoil what is known; `code` says how."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def check_narrative(told: Sequence[NarrativeSentence], known: str) -> None:
    """Raise AnswerUnfit when a narrative is lost."""
    if known.strip() and not any(sentence.text.strip() for sentence in told):
        raise AnswerUnfit("narrative_empty")


def capped(text: str, most: int) -> str:
    """Return the beginning of a text in at most so many words, up to the end of a sentence.

    Of a first sentence that is longer, the words that fit.
    """
    if worth(text) <= most:
        return text
    kept = ""
    for end in (*(match.start() for match in SENTENCE.finditer(text)), len(text)):
        if worth(text[:end]) > most:
            break
        kept = text[:end].rstrip()
    return kept or _cut(text, most)


def worth(text: str) -> float:
    """Return how many words a text has, in scripts without spaces as well; in doubt more."""
    return max(size(text), float(len(text.split())))


def _cut(text: str, most: int) -> str:
    words: list[str] = []
    room = float(most)
    for word in text.split():
        if worth(word) > room:
            words += [_fitting(word, room)] if DENSE.search(word) and room >= 1 else []
            break
        words.append(word)
        room -= worth(word)
    return " ".join(words)


def _fitting(word: str, room: float) -> str:
    """Return the beginning of a run without spaces that is worth no more than the room."""
    word = word[: int(room) * 2]
    while worth(word) > room:
        word = word[:-1]
    return word
