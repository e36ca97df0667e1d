"""What an act of forgetting keeps until it is final."""

from collections.abc import Sequence
from typing import TypedDict

from consolidation.deletion.matcher import Telling, tells
from consolidation.deletion.places.cuts import cut_value


class Gone(TypedDict):
    """An item as it was: its fields as `snapshot` returns them, and what they were before edits."""

    kind: str
    id: str
    fields: dict[str, object]
    earlier: list[dict[str, object]]


class Contents(TypedDict):
    """The words of all that went with one act; `members` are those of lists that stayed."""

    items: list[Gone]
    narrative: list[str]
    scaffold: dict[str, object]
    members: dict[str, list[str]]
    learned: list[str]
    documents: list[dict[str, object]]
    cuts: list[dict[str, object]]
    saved: list[dict[str, str]]
    lines: dict[str, list[str]]


def without_told(kept: Contents, tellings: Sequence[Telling]) -> Contents:
    """Return the contents without what tells any of these; the items stay as they are."""

    def stays(*texts: object) -> bool:
        return not tells(" ".join(map(str, texts)), tellings)

    return {
        "items": kept["items"],
        "narrative": [one for one in kept["narrative"] if stays(one)],
        "scaffold": {path: one for path, one in kept["scaffold"].items() if stays(path, one)},
        "members": {path: [*filter(stays, ones)] for path, ones in kept["members"].items()},
        "learned": [one for one in kept["learned"] if stays(one)],
        "documents": [one for one in kept["documents"] if stays(one["content"])],
        "cuts": [
            one | {side: _cut(one[side], tellings) for side in ("before", "after")}
            for one in kept["cuts"]
        ],
        "saved": [one for one in kept["saved"] if stays(one["key"], one["value"])],
        "lines": {name: [*filter(stays, ones)] for name, ones in kept["lines"].items()},
    }


def _cut(side: object, tellings: Sequence[Telling]) -> dict[str, object]:
    """Return one side of a cut as the act that is final has left the row."""
    texts = side if isinstance(side, dict) else {}
    return {name: cut_value(value, tellings) for name, value in texts.items()}
