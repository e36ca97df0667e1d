"""What has changed between two moments of a memory (pure)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from inspector.history.words import placed, plain
from inspector.person.wording import CATEGORY, SURE, said
from knowledge.history.as_of import LEARNED, Fields, PastMemory, Was

Mark = Literal["learned", "gone", "changed"]
KIND = {"fact": "Fact", "arc": "Session", "rule": "Rule"}


@dataclass(frozen=True, slots=True)
class Since:
    """One thing that is not as it was; `was` are its words then, where they differ."""

    mark: Mark
    kind: str
    words: str
    was: str = ""


@dataclass(frozen=True, slots=True)
class PastCard:
    """A fact, an arc or a rule as it was."""

    item: Was
    words: str
    quotes: list[str]
    kind: str
    sure: str


def card(item: Was) -> PastCard:
    fields = item.fields
    quotes = fields.get("evidence") or [fields.get("evidence_quote")]
    return PastCard(
        item,
        plain(said(fields)),
        [str(one) for one in quotes if one] if isinstance(quotes, list) else [],
        CATEGORY.get(str(fields.get("category")), ""),
        SURE.get(str(fields.get("confidence")), ""),
    )


def compare(then: PastMemory, now: PastMemory) -> list[Since]:
    """Return what was learned, what is gone, and what has changed since."""
    found = [one for kind in LEARNED for one in _items(kind, then, now)]
    return [*found, *_parts(then, now)]


def _items(kind: str, then: PastMemory, now: PastMemory) -> Iterator[Since]:
    old = {one.id: one for one in then.active(kind)}
    new = {one.id: one for one in now.active(kind)}
    for id, item in new.items():
        words = plain(said(item.fields))
        if id not in old:
            yield Since("learned", KIND[kind], words)
        elif _said(item.fields) != _said(old[id].fields):
            yield Since("changed", KIND[kind], words, plain(said(old[id].fields)))
    for id in old.keys() - new.keys():
        yield Since("gone", KIND[kind], plain(said(old[id].fields)))


def _said(fields: Fields) -> list[object]:
    names = ("predicate", "object", "category", "text", "summary", "is_pinned")
    return [fields.get(name) for name in names]


def _parts(then: PastMemory, now: PastMemory) -> Iterator[Since]:
    if then.narrative != now.narrative:
        yield _part("Narrative", then.narrative, now.narrative)
    for path in sorted(then.leaves.keys() | now.leaves.keys()):
        was, new = _leaf(then, path), _leaf(now, path)
        if was != new:
            yield _part(f"Profile, {placed(path)}", was, new)
    if then.proactive_recall != now.proactive_recall:
        words = {True: "on", False: "off"}
        kind = "Bringing up earlier conversations"
        yield Since("changed", kind, words[now.proactive_recall], words[then.proactive_recall])


def _part(kind: str, was: str, now: str) -> Since:
    if not was:
        return Since("learned", kind, now)
    return Since("changed", kind, now, was) if now else Since("gone", kind, was)


def _leaf(memory: PastMemory, path: str) -> str:
    return plain(memory.leaves[path]) if path in memory.leaves else ""
