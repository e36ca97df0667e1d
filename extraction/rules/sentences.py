"""Lines of a conversation to sentences with their speaker, in any script."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from providers.base import encodable
from providers.chat import Line
from providers.quoting import visible
from ranking.passages import SENTENCE, passages, size

# Of a longer line the rest is a document that was pasted, and says little of the conversation.
LINE_CHARACTERS = 8_192
LONGEST_WORD = 100
SPEAKERS = {"user": "User", "assistant": "Assistant", "tool": "Tool"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """`place` counts within its line. `ref` and `speaker` are empty where nobody is known to speak."""

    ref: str
    speaker: str
    place: int
    text: str


def sentences(lines: Sequence[Line]) -> Iterator[Sentence]:
    """Yield what was said by people, models and tools; instructions are nobody's words."""
    for line in lines:
        if line.role in SPEAKERS:
            for place, text in enumerate(split(line.text)):
                yield Sentence(line.ref, SPEAKERS[line.role], place, text)


def split(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each on one line, without what no one can see."""
    clean = visible(encodable(text[:LINE_CHARACTERS])).replace("\0", " ")
    for row in clean.splitlines():
        for sentence in SENTENCE.split(row):
            words = " ".join(sentence.split())
            if words:
                yield words


def clip(text: str, words: int) -> str:
    """Return the beginning of a text, at most about `words` words of bounded length."""
    short = " ".join(_cut(word) for word in text.split())
    return short if size(short) <= words else passages(short, words)[0] + " …"


def _cut(word: str) -> str:
    is_endless = len(word) > LONGEST_WORD and size(word) <= 1
    return word[:LONGEST_WORD] + "…" if is_endless else word
