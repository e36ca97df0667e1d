"""What a receipt held, as rows of a page."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from accounts.models import Owner
from inspector.why.bar import BudgetBar, bar
from recall.receipts.items import (
    FORGOTTEN,
    ItemText,
    Place,
    ReceiptItem,
    Stored,
    read_items,
    words_of,
)
from recall.replay import RankChange, Replay
from recall.search.ranking_profiles import PROFILES

STAGES = ("words", "meaning", "neighbours", "reply", "session", "summary", "learned", "time")


@dataclass(frozen=True, slots=True)
class ReceiptRow:
    """An item with its words, its signals in the order of STAGES, and why it was cut."""

    item: ReceiptItem
    words: ItemText
    signals: Sequence[float | None]
    names_speaker: bool

    @property
    def why_cut(self) -> str:
        if self.item.cut:
            return f"{self.item.cut} of its pieces had no room"
        return "no room in the budget"


@dataclass(frozen=True, slots=True)
class Changed:
    """One line of a diff: `kind` is gone, added, moved or kept; `why` says what became of it."""

    kind: str
    change: RankChange
    words: ItemText
    why: str


@dataclass(frozen=True, slots=True)
class ReceiptPage:
    """All that a page tells of a receipt, with the words of its items today."""

    held: Sequence[ReceiptRow]
    cut: Sequence[ReceiptRow]
    bar: BudgetBar | None
    weights: Sequence[tuple[str, float]]
    words: Mapping[Place, ItemText]


def contents(
    *,
    owner: Owner,
    items: Iterable[Stored],
    left_out: Iterable[Stored],
    profile: str,
    beside: Sequence[ReceiptItem] = (),
) -> ReceiptPage:
    """Read what a receipt names; `beside` are items whose words are wanted as well."""
    held, cut = read_items(items), read_items(left_out)
    words = words_of(owner, [*held, *cut, *beside])
    return ReceiptPage(rows(held, words), rows(cut, words), shares(held), weights(profile), words)


def rows(items: Sequence[ReceiptItem], words: Mapping[Place, ItemText]) -> list[ReceiptRow]:
    return [_row(item, words[item.place]) for item in items]


def shares(items: Sequence[ReceiptItem]) -> BudgetBar | None:
    """Return the tokens by block, of those items that a receipt keeps them of."""
    found = Counter[str]()
    for item in items:
        if item.tokens:
            found[item.label] += item.tokens
    return bar(list(found.items())) if found else None


def weights(profile: str) -> list[tuple[str, float]]:
    """Return what each stage counts in the formula that was used; nothing for one of before."""
    used = PROFILES.get(profile)
    if used is None:
        return []
    return [
        ("words", 1.0),
        ("meaning", used.meaning),
        ("neighbours", used.neighbours),
        ("reply", used.reply),
        ("session", used.session),
        ("summary", used.summary),
        ("learned", used.learned),
        ("time", used.time),
        ("speaker", used.speaker),
    ]


def changed(replay: Replay, words: Mapping[Place, ItemText]) -> list[Changed]:
    """Return the lines of a diff: what is gone, what is new, what moved, what stayed."""
    parts = (
        ("gone", replay.gone),
        ("added", replay.added),
        ("moved", replay.moved),
        ("kept", replay.kept),
    )
    return [_changed(kind, one, words) for kind, found in parts for one in found]


def _row(item: ReceiptItem, words: ItemText) -> ReceiptRow:
    values = [item.signals.get(name) for name in STAGES]
    signals = [float(value) if isinstance(value, int | float) else None for value in values]
    return ReceiptRow(item, words, signals, bool(item.signals.get("names_speaker")))


def _changed(kind: str, change: RankChange, words: Mapping[Place, ItemText]) -> Changed:
    said = words[change.item.place]
    return Changed(kind, change, said, _why(kind, change, said))


def _why(kind: str, change: RankChange, words: ItemText) -> str:
    if kind == "gone":
        if words == FORGOTTEN:
            return "forgotten since"
        return f"{words.state} since" if words.state else "found no more, or without room"
    before, after = change.item.version, change.version_now
    if after is not None and before is not None and after != before:
        return f"version {before}, now {after}"
    return ""
