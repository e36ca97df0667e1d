"""Exports of other products, as rows of our own format: role, content, session, occurred_at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from consolidation.intake.exports import chatgpt, claude, mem0

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Format:
    """`recognises` looks at a whole document; `rows` reads one that it recognises."""

    recognises: Callable[[object], bool]
    rows: Callable[[object], Iterator[Row]]


FORMATS: dict[str, Format] = {
    "chatgpt": Format(chatgpt.recognises, chatgpt.rows),
    "claude": Format(claude.recognises, claude.rows),
    "mem0": Format(mem0.recognises, mem0.rows),
}


def as_rows(document: object) -> object:
    """Return the rows of an export, or the document itself where no format is recognised.

    Raises Malformed for an export that holds what belongs to several people.
    """
    for each in FORMATS.values():
        if each.recognises(document):
            return list(each.rows(document))
    return document
