"""Long text to passages, and the line that says when and by whom it was said."""

import re
from collections.abc import Iterator
from datetime import datetime

PASSAGE_WORDS = 120
# A text a little over one passage stays whole: a rest of ten words would be found by nobody.
SLACK = 1.25
MOST_BYTES = 8_192
# Two characters of a script without spaces say about as much as one word.
DENSE = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
# No sentence ends at a title, nor at the day of a date as German writes it: "Dr. Wu", "am 3. Mai".
SENTENCE = re.compile(
    r"(?<=[.!?\n])(?!(?<=\b[DM][rs]\.)\s|(?<=\bSt\.)\s|(?<=\bMrs\.)\s|(?<=\bProf\.)\s"
    r"|(?<=\b[Nn]r\.)\s|(?<=\bNo\.)\s(?=\d)|(?<=\bbzw\.)\s|(?<=\bz\.B\.)\s"
    r"|(?<=\d\.)\s(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Klasse|Stock|Uhr))\s+"
    r"|(?<=[\u3002\uff01\uff1f])"
)
# Four bytes a character at most: a slice of this many characters is within the bytes.
PIECE = MOST_BYTES // 4


def header(when: datetime | None, speaker: str) -> str:
    """Return `[8 May 2023] Speaker: `, with what is known of it."""
    date = f"[{when.day} {when:%B %Y}] " if when else ""
    return date + (f"{speaker}: " if speaker else "")


def passages(text: str, words: int = PASSAGE_WORDS) -> list[str]:
    """Cut a text at the ends of sentences into passages of about `words` words, in order.

    A sentence that is longer is cut between words, a word that is longer between characters.
    Nothing but white space at the cuts is lost. Text without words gives no passage.
    """
    text = text.strip()
    if not text:
        return []
    if size(text) <= words * SLACK and len(text) <= PIECE:
        return [text]
    return list(_pack(_pieces(text, words), words))


def size(text: str) -> float:
    """Return how many words a text is worth."""
    dense = len(DENSE.findall(text))
    return dense / 2 + len((DENSE.sub(" ", text) if dense else text).split())


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, in order; nothing but white space between them is lost."""
    return [one.strip() for one in SENTENCE.split(text) if one.strip()]


def _pieces(text: str, words: int) -> Iterator[str]:
    """Yield pieces of at most `words` words and PIECE characters."""
    for sentence in SENTENCE.split(text):
        if size(sentence) <= words and len(sentence) <= PIECE:
            yield sentence
            continue
        for word in sentence.split():
            step = words * 2 if DENSE.search(word) else PIECE
            yield from (word[place : place + step] for place in range(0, len(word), step))


def _pack(pieces: Iterator[str], words: int) -> Iterator[str]:
    packed: list[str] = []
    filled, length = 0.0, 0
    for piece in pieces:
        worth = size(piece)
        if packed and (filled + worth > words or length + len(piece) >= PIECE):
            yield " ".join(packed)
            packed, filled, length = [], 0.0, 0
        if piece:
            packed.append(piece)
            filled, length = filled + worth, length + len(piece) + 1
    if packed:
        yield " ".join(packed)
