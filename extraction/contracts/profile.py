"""The contract of a reply that changes the picture of a user: a patch whose parts name what they stand on."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from providers.answers import Contract, Reference, Text

NARRATIVE_CHARACTERS = 20_000
MOST_FACTS = 100
MOST_CHANGES = 200
MOST_REFS = 50
FACT_CHARACTERS = 2_000
REASON_CHARACTERS = 240
KEY_CHARACTERS = 100
PATH_CHARACTERS = 500
TEXT_CHARACTERS = 20_000
MOST_VALUES = 2_000
# Deeper than this nothing is unwrapped, and nothing is accepted.
MOST_DEPTH = 10


def nesting(value: object) -> int:
    """Return how many objects and lists stand one in the other, 0 for a plain value."""
    return max(depth for depth, _, _ in _walk(value))


def fitting(value: JsonValue) -> JsonValue:
    """Return a value of bounded depth, number and length. Raises ValueError for any other."""
    for number, (depth, key, part) in enumerate(_walk(value)):
        if depth > MOST_DEPTH or number > MOST_VALUES:
            raise ValueError("too many values, or too deep")
        if len(key) > KEY_CHARACTERS or "\0" in key:
            raise ValueError("a key is too long")
        if isinstance(part, str) and (len(part) > TEXT_CHARACTERS or "\0" in part):
            raise ValueError("a text is too long")
    return value


def _pointer(path: str) -> str:
    """Return a JSON Pointer, also of one that came without its slash. Raises ValueError."""
    pointer = path if path.startswith("/") else f"/{path}"
    keys = pointer[1:].split("/")
    if "\0" in pointer or any(not key.strip() or len(key) > KEY_CHARACTERS for key in keys):
        raise ValueError("a key is empty or too long")
    return pointer


def _cut(reason: object) -> object:
    return reason[:REASON_CHARACTERS] if isinstance(reason, str) else ""


Refs = Annotated[list[Reference], Field(max_length=MOST_REFS)]
Pointer = Annotated[str, Text, Field(max_length=PATH_CHARACTERS), AfterValidator(_pointer)]
Reason = Annotated[str, BeforeValidator(_cut)]


class Part(BaseModel):
    """One item of a reply; `refs` are the lines, and of a sentence the old sentences, it stands on."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class NarrativeSentence(Part):
    """One sentence of the narrative; of an old one that stays, its id is among the refs."""

    text: Annotated[str, Text, Field(max_length=NARRATIVE_CHARACTERS)]
    refs: Refs = []


class ScaffoldChange(Part):
    """One change of the profile. `path` is a JSON Pointer, `to` the new one of a rename.

    `set` writes a value, `add` and `remove` give and take members of a list; `remove` without a
    value takes out the key. `basis` is stated, or implied where it was concluded.
    """

    reason: Reason = ""
    op: Literal["set", "add", "remove", "rename", "confirm"]
    path: Pointer
    value: Annotated[JsonValue, AfterValidator(fitting)] = None
    to: Annotated[str, Field(max_length=PATH_CHARACTERS)] = ""
    refs: Refs = []
    basis: Literal["stated", "implied"] = "stated"


class Statement(Part):
    """One fact worth finding later, in one sentence that stands alone."""

    statement: Annotated[str, Text, Field(max_length=FACT_CHARACTERS)]
    refs: Refs = []


class Retirement(Part):
    """A document or a learned item that holds no more, or that another one says as well."""

    id: Reference
    reason: Reason = ""
    refs: Refs = []


class ProfileUpdate(Part):
    """What the picture becomes. The plain form is read as well: an object, a text, and texts.

    An item that does not fit is left out alone; `unfit` counts them.
    """

    updated_working_memory: Annotated[list[NarrativeSentence], Field(max_length=MOST_CHANGES)]
    updated_scaffold: Annotated[list[ScaffoldChange], Field(max_length=MOST_CHANGES)]
    facts_to_embed: Annotated[list[Statement], Field(max_length=MOST_FACTS)]
    retire: Annotated[list[Retirement], Field(max_length=MOST_CHANGES)] = []
    unfit: SkipJsonSchema[int] = 0

    @model_validator(mode="before")
    @classmethod
    def _without_unfit(cls, said: object) -> object:
        if not isinstance(said, dict):
            return said
        lists = {name: _listed(name, said[name]) for name in ITEMS if name in said}
        offered = {name: items for name, items in lists.items() if items is not None}
        fit = {name: _fit(name, items) for name, items in offered.items()}
        unfit = sum(map(len, offered.values())) - sum(map(len, fit.values()))
        return {**said, **fit, "unfit": unfit}


class KeyRename(Contract):
    """A key that moves, or whose values join those that stand under the other one."""

    path: Pointer
    to: Pointer


class ProfileTidying(Contract):
    """How the keys of a profile are called from now on; an empty list is a usual answer."""

    renames: Annotated[list[KeyRename], Field(max_length=MOST_CHANGES)]


Reader = Callable[[object], Part | None]


def _as(kind: type[Part]) -> Reader:
    def read(item: object) -> Part | None:
        if isinstance(item, kind):
            return item
        try:
            return kind.model_validate(item)
        except ValidationError:
            return None

    return read


ITEMS: Mapping[str, Reader] = {
    "updated_working_memory": _as(NarrativeSentence),
    "updated_scaffold": _as(ScaffoldChange),
    "facts_to_embed": _as(Statement),
    "retire": _as(Retirement),
}


def _fit(name: str, items: list[object]) -> list[Part]:
    """Return the items that fit, no more than a field may have."""
    most = MOST_FACTS if name == "facts_to_embed" else MOST_CHANGES
    return [part for item in items if (part := ITEMS[name](item)) is not None][:most]


def _listed(name: str, value: object) -> list[object] | None:
    """Return the items of a field, of its plain form too; None of what is neither."""
    if name == "updated_working_memory" and isinstance(value, str):
        return [{"text": value}] if value.strip() else []
    if name == "updated_scaffold" and isinstance(value, dict):
        return [_plain(str(key), part) for key, part in value.items()]
    if not isinstance(value, list):
        return None
    if name == "facts_to_embed":
        return [{"statement": item} if isinstance(item, str) else item for item in value]
    return value


def _plain(key: str, value: object) -> object:
    path = "/" + key.replace("~", "~0").replace("/", "~1")
    return {"op": "remove" if value is None else "set", "path": path, "value": value}


def _walk(value: object) -> Iterator[tuple[int, str, object]]:
    """Yield every value with its depth and its key; without recursion, whatever the depth."""
    waiting: list[tuple[int, str, object]] = [(0, "", value)]
    while waiting:
        depth, key, part = waiting.pop()
        inside = depth + 1 if isinstance(part, dict | list) else depth
        yield inside, key, part
        if isinstance(part, dict):
            waiting += [(inside, name, below) for name, below in part.items()]
        elif isinstance(part, list):
            waiting += [(inside, "", below) for below in part]
