"""Changes as before and after, field by field, with why they were made."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.models import Owner
from inspector.console.meanings import of_reason
from inspector.history.words import LABELS, Names, placed, plain, told
from inspector.person.reading import words_by_id
from inspector.person.wording import ACT, SURE, said
from knowledge.models import ChangeItem

Act, Kind, State = ChangeItem.Act, ChangeItem.Kind, ChangeItem.State
KIND = {
    "fact": "Fact",
    "arc": "Session",
    "rule": "Rule",
    "profile": "Switch",
    "narrative": "Narrative",
    "scaffold": "Profile",
    "learned_info": "Learned besides",
    "document": "Context document",
}
STATE = {
    "waiting": "waits for a decision",
    "applied": "made",
    "rejected": "not made",
    "reverted": "taken back",
}
# How a change is told when it is taken back.
UNDONE = {
    "add": "will be gone",
    "bump": "will not count as said again",
    "retire": "will count again",
    "edit": "will be as it was",
}
# An item that is added has these, unless something is said about it.
USUAL: Mapping[str, object] = {"user_visible": True, "is_pinned": False, "is_quarantined": False}
Fields = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A field that a change touched; empty texts where there was or is nothing."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Diff:
    """A change as a page shows it."""

    item: ChangeItem
    kind: str
    what: str
    title: str
    lines: Sequence[DiffLine]
    why: str
    sure: str
    state: str
    undone: str

    @property
    def is_new(self) -> bool:
        return self.item.before is None

    @property
    def is_erased(self) -> bool:
        return self.item.before is None and self.item.after is None


def diffs(owner: Owner, items: Sequence[ChangeItem], *, backward: bool = False) -> list[Diff]:
    """Return changes in plain words; `backward` as they will be when they are taken back."""
    names = _names(owner, items)
    return [_diff(one, names, backward=backward) for one in items]


def _diff(item: ChangeItem, names: Names, *, backward: bool) -> Diff:
    before, after = item.before, item.after
    lines = list(_lines(before, after, names))
    if backward:
        lines = (
            []
            if item.act == Act.ADD
            else [DiffLine(one.name, one.after, one.before) for one in lines]
        )
    undone = (
        "will not be asked any more" if item.state == State.WAITING else UNDONE.get(item.act, "")
    )
    return Diff(
        item,
        KIND.get(item.kind, item.kind),
        ACT.get(item.act, item.act),
        _title(item, names),
        lines,
        of_reason(item.code),
        SURE.get(item.confidence, ""),
        STATE[item.state],
        undone,
    )


def _lines(before: Fields | None, after: Fields | None, names: Names) -> Iterator[DiffLine]:
    was, now = before or {}, after or {}
    for name, label in LABELS.items():
        if name not in was and name not in now:
            continue
        if was.get(name) == now.get(name) or (before is None and now.get(name) == USUAL.get(name)):
            continue
        line = DiffLine(label, told(name, was.get(name), names), told(name, now.get(name), names))
        if line.before or line.after:
            yield line


def _title(item: ChangeItem, names: Names) -> str:
    if item.kind == Kind.NARRATIVE:
        return "What the person is about now"
    if item.kind == Kind.PROFILE:
        return "Bringing up earlier conversations"
    fields = item.after or item.before or {}
    if item.kind == Kind.SCAFFOLD:
        return placed(str(fields.get("path", ""))) or "Deleted for good"
    text = said(item.after) or said(item.before) or str(fields.get("content", ""))
    return plain(text or names.get(str(item.target), "Deleted for good"))


def _names(owner: Owner, items: Sequence[ChangeItem]) -> dict[str, str]:
    """Return the words of what the changes are about, and of what took their place."""
    ids = {one.target for one in items if one.target}
    for one in items:
        for side in (one.before, one.after):
            ids |= _ids(str((side or {}).get("superseded_by", "")))
    return words_by_id(owner, ids)


def _ids(text: str) -> set[UUID]:
    try:
        return {UUID(text)}
    except ValueError:
        return set()
