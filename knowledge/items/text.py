"""A learned item in words: all of them, the main ones, and those that it is embedded as."""

from functools import singledispatch

from knowledge.models import Arc, Fact, Rule
from knowledge.models.learned import Learned
from ranking.hybrid import Comparable


@singledispatch
def words_of(item: Learned) -> str:
    """Return every word that an item is found by."""
    raise TypeError(type(item).__name__)


@words_of.register
def _(item: Fact) -> str:
    triple = [item.category, item.subject, item.predicate, item.object]
    said = [item.statement] if item.statement else []
    return " ".join([*triple, item.evidence_quote, *said])


@words_of.register
def _(item: Arc) -> str:
    return " ".join([item.summary, *item.themes, *item.open_loops, *item.resolved_threads])


@words_of.register
def _(item: Rule) -> str:
    return " ".join([item.text, *item.evidence])


def main_text(item: Learned) -> str:
    """Return what the item says: the quote, the summary or the rule."""
    if isinstance(item, Fact):
        return item.statement or item.evidence_quote
    return item.summary if isinstance(item, Arc) else words_of(item)


def embedded_text(item: Fact | Arc) -> str:
    """Return the text that an item's vector is made of."""
    if isinstance(item, Arc):
        return " ".join([item.summary, *item.themes])
    if item.statement:
        return item.statement
    predicate = item.predicate.replace("_", " ").lower()
    return f"{item.subject} {predicate} {item.object}. {item.evidence_quote}"


def comparable(item: Learned, cosine: float | None) -> Comparable:
    return Comparable(words_of(item), main_text(item), cosine)
