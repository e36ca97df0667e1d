"""A receipt's question asked again of today's memory, and what has become of the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accounts.errors import Fault
from accounts.owners import find_agent_owner
from recall.answers.answer import gather
from recall.models import Receipt
from recall.prompt.preview import free_mode, preview_context
from recall.receipts.items import SESSIONS, ReceiptItem, Stored, read_items
from recall.receipts.write import NOTHING_LEARNED, named
from recall.search.fuse import FusedQuestion
from recall.search.questions.question import SearchMode


@dataclass(frozen=True, slots=True)
class RankChange:
    """An item and its places from 1, in the receipt and today; None where it is not."""

    item: ReceiptItem
    then: int | None
    now: int | None
    version_now: int | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """Today's answer beside the receipt's. `fault` says why there is none; empty when there is.

    `is_by_words`: the meaning was not asked, since asking it would cost money.
    """

    added: Sequence[RankChange] = ()
    gone: Sequence[RankChange] = ()
    moved: Sequence[RankChange] = ()
    kept: Sequence[RankChange] = ()
    is_by_words: bool = False
    fault: str = ""

    @property
    def items(self) -> list[ReceiptItem]:
        found = [*self.gone, *self.added, *self.moved, *self.kept]
        return [change.item for change in found]

    @property
    def is_same(self) -> bool:
        return not (self.added or self.gone or self.moved or self.fault)


def replay(receipt: Receipt) -> Replay:
    """Ask the question of a receipt again, and write nothing. The owner and agent must be loaded."""
    if receipt.kind == Receipt.Kind.SYNTHESIS:
        return Replay(fault="A synthesis asked nothing: there is no question to ask again.")
    try:
        return _prompt(receipt) if receipt.kind == Receipt.Kind.CONTEXT else _recall(receipt)
    except Fault as fault:
        return Replay(fault=f"It cannot be asked today: {fault}.")


def difference(
    then: Sequence[ReceiptItem], now: Sequence[ReceiptItem], *, is_by_words: bool = False
) -> Replay:
    """Compare two answers; moved is what stands in another order among what both hold."""
    was = {item.place: number for number, item in enumerate(then, 1)}
    is_ = {item.place: number for number, item in enumerate(now, 1)}
    versions = {item.place: item.version for item in now}
    common_then = [item.place for item in then if item.place in is_]
    common_now = {place: n for n, place in enumerate(p for p in is_ if p in was)}
    steady = {place for n, place in enumerate(common_then) if common_now[place] == n}

    def change(item: ReceiptItem) -> RankChange:
        place = item.place
        return RankChange(item, was.get(place), is_.get(place), versions.get(place))

    both = [item for item in then if item.place in is_]
    return Replay(
        added=[change(item) for item in now if item.place not in was],
        gone=[change(item) for item in then if item.place not in is_],
        moved=[change(item) for item in both if item.place not in steady],
        kept=[change(item) for item in both if item.place in steady],
        is_by_words=is_by_words,
    )


def _prompt(receipt: Receipt) -> Replay:
    session = receipt.session
    if session is None:
        return Replay(fault="The session of this prompt is gone.")
    session.owner = receipt.owner
    preview = preview_context(session=session, query=receipt.query or None)
    then, now = read_items(receipt.items), read_items(preview.items)
    return difference(then, now, is_by_words=preview.is_by_words)


def _recall(receipt: Receipt) -> Replay:
    """Ask for as many as were found; the budget of then is not known, so none is kept to."""
    then = read_items(_by_score([*receipt.items, *receipt.left_out]))
    stores = {item.store for item in then} or {SESSIONS}
    wanted = SearchMode.SEMANTIC if receipt.searched_by == "vectors" else SearchMode.HYBRID
    mode = free_mode(wanted)
    found = gather(
        owner=receipt.owner if SESSIONS in stores else None,
        knowledge=find_agent_owner(receipt.owner.agent) if "knowledge" in stores else None,
        context=receipt.owner if "context" in stores else None,
        asked=FusedQuestion(receipt.query, max(len(then), 1), mode),
        max_tokens=None,
        widen=0,
    ).found
    now, _ = named(found, (), NOTHING_LEARNED)
    return difference(then, read_items(now), is_by_words=mode is SearchMode.TEXT)


def _by_score(stored: Sequence[Stored]) -> list[Stored]:
    return sorted(stored, key=_score, reverse=True)


def _score(one: Mapping[str, object]) -> float:
    score = one.get("score")
    return float(score) if isinstance(score, int | float) else 0.0
