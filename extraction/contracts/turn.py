"""The contract of what a chat model answers about a turn: changes to memory that stand on their own.

Nothing of it is believed: a change that does not fit is set aside by itself, and the others stay.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints, ValidationError
from pydantic.json_schema import SkipJsonSchema

from extraction.contracts.learning import QUOTE_CHARACTERS, REASON_CHARACTERS, Sure
from providers.answers import Contract, Text

STATEMENT_CHARACTERS = 500
NAME_CHARACTERS = 200
RELATION_CHARACTERS = 100
ID_CHARACTERS = 100
MOST_CHANGES = 60
MOST_TARGETS = 10


class Op(StrEnum):
    """What is done to memory."""

    ADD = "add"
    CONFIRM = "confirm"
    REVISE = "revise"
    END = "end"
    WITHDRAW = "withdraw"


class ThingKind(StrEnum):
    """What a change is about."""

    USER = "user"
    PERSON = "person"
    ANIMAL = "animal"
    ORGANISATION = "organisation"
    PLACE = "place"
    THING = "thing"
    PROJECT = "project"


def _cut(most: int) -> BeforeValidator:
    """Cut what is too long, and take null for nothing."""
    return BeforeValidator(
        lambda value: value[:most] if isinstance(value, str) else "" if value is None else value
    )


Short = StringConstraints(strip_whitespace=True)
Id = Annotated[str, Text, Field(max_length=ID_CHARACTERS)]
Ids = Annotated[list[Id], Field(max_length=MOST_TARGETS)]
Moment = Annotated[str, Field(max_length=41)] | None


class About(Contract):
    """Whom or what a change is about; `id` is empty for what was not shown yet."""

    id: Annotated[str, Short, _cut(ID_CHARACTERS)] = ""
    name: Annotated[str, Short, _cut(NAME_CHARACTERS)] = ""
    kind: Annotated[ThingKind, Field(strict=False)]
    relation: Annotated[str, Short, _cut(RELATION_CHARACTERS)] = ""


class MemoryChange(Contract):
    """One change to memory. The reason comes first, so that the decision follows it."""

    reason: Annotated[str, Short, _cut(REASON_CHARACTERS)]
    op: Annotated[Op, Field(strict=False)]
    targets: Ids = Field(default_factory=list)
    lane: Literal["fact", "rule"]
    about: About
    statement: Annotated[str, Short, Field(max_length=STATEMENT_CHARACTERS)] = ""
    kind: Annotated[str, Short, Field(max_length=20)] = ""
    happened: Moment = None
    holds_until: Moment = None
    durability: Literal["passing", "a_while", "lasting"]
    basis: Literal["stated", "answered", "implied", "asked"]
    quote: Annotated[str, Short, _cut(QUOTE_CHARACTERS)]
    question: Annotated[str, Short, _cut(QUOTE_CHARACTERS)] = ""
    sensitivity: Literal["ordinary", "sensitive", "unsafe"] = "ordinary"
    sure: Annotated[Sure, Field(strict=False)]


class Unfit(Contract):
    """A change that fits no contract; `fields` names where, without a word of it."""

    fields: str


class Control(Contract):
    """What the user wants of memory itself: nothing, lines kept out of it, or items forgotten."""

    act: Literal["none", "off_the_record", "forget"] = "none"
    lines: Annotated[list[Id], Field(max_length=60, default_factory=list)]
    targets: Ids = Field(default_factory=list)


def _each_by_itself(value: object) -> object:
    """Read each change by itself; one that does not fit spoils no other."""
    return [_read(one) for one in value[:MOST_CHANGES]] if isinstance(value, list) else value


def _read(value: object) -> MemoryChange | Unfit:
    try:
        return MemoryChange.model_validate(value)
    except ValidationError as error:
        places = {str(one["loc"][0]) if one["loc"] else "" for one in error.errors()}
        return Unfit(fields=" ".join(sorted(places & set(MemoryChange.model_fields)))[:200])


class TurnReply(Contract):
    """What new messages change in memory; an empty list is a usual answer."""

    changes: Annotated[list[MemoryChange | SkipJsonSchema[Unfit]], BeforeValidator(_each_by_itself)]
    control: Control = Field(default_factory=lambda: Control(lines=[], targets=[]))
