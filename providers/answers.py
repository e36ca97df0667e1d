"""The contracts of a chat model's replies. Texts come without spaces around them and without NUL."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

MOST_FACTS = 50
MOST_REFERENCES = 200
KEY_CHARACTERS = 200
VALUE_CHARACTERS = 2_000
SUMMARY_CHARACTERS = 8_000
REFERENCE_CHARACTERS = 100

Text = StringConstraints(strip_whitespace=True, min_length=1)
Key = Annotated[str, Text, Field(max_length=KEY_CHARACTERS)]
Value = Annotated[str, Text, Field(max_length=VALUE_CHARACTERS)]
Reference = Annotated[str, Text, Field(max_length=REFERENCE_CHARACTERS)]
References = Annotated[list[Reference], Field(max_length=MOST_REFERENCES)]
SummaryText = Annotated[str, Text, Field(max_length=SUMMARY_CHARACTERS)]


def _listed(value: object) -> object:
    """Return one object as a list of it; nothing and the empty object as the empty list."""
    if value is None or value == {}:
        return []
    return [value] if isinstance(value, dict) else value


class Contract(BaseModel):
    """Nothing is guessed: no other fields, no other types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class FactKind(StrEnum):
    """What kind of thing a fact is."""

    PREFERENCE = "preference"
    DECISION = "decision"
    FACT = "fact"
    CONTEXT = "context"


class FoundFact(Contract):
    """One fact, and the reference of the line it was found in."""

    key: Key
    value: Value
    category: Annotated[FactKind, Field(strict=False)]
    source_event: Reference


class Facts(Contract):
    """What is worth keeping; an empty list is a usual answer."""

    facts: Annotated[list[FoundFact], Field(max_length=MOST_FACTS)]


class FoldedFact(Contract):
    """A fact to add to a summary, or to put in the place of the one with its key."""

    key: Key
    value: Value
    source_event: Reference


class FactKey(Contract):
    """The key of a fact to remove."""

    key: Key


class MemoryDelta(Contract):
    """A change of a reference summary. An empty `summary_update` keeps its text."""

    mode: Literal["append", "overwrite"]
    summary_update: Annotated[str, Field(max_length=SUMMARY_CHARACTERS)] = ""
    add_references: References = []
    remove_references: References = []
    add_fact: Annotated[
        list[FoldedFact], Field(max_length=MOST_FACTS), BeforeValidator(_listed)
    ] = []
    remove_fact: Annotated[
        list[FactKey], Field(max_length=MOST_FACTS), BeforeValidator(_listed)
    ] = []


class Delta(Contract):
    """The form of a delta; that what it names exists is checked where it is applied."""

    memory_delta: MemoryDelta


class Summary(Contract):
    """The summary of a part of a conversation."""

    summary: SummaryText


class SessionSummary(Contract):
    """The summary of a whole session."""

    summary: SummaryText
