"""The contract of a reply that rewrites the picture of a user."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from providers.answers import Text

NARRATIVE_CHARACTERS = 20_000
MOST_FACTS = 100
FACT_CHARACTERS = 2_000
KEY_CHARACTERS = 100
TEXT_CHARACTERS = 20_000
MOST_VALUES = 2_000
# Deeper than this nothing is unwrapped, and nothing is accepted.
MOST_DEPTH = 10


def nesting(value: object) -> int:
    """Return how many objects and lists stand one in the other, 0 for a plain value."""
    deepest = 0
    for depth, _, _ in _walk(value):
        deepest = max(deepest, depth)
    return deepest


def fitting(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return an object of bounded depth, number and length. Raises ValueError for any other."""
    for number, (depth, key, one) in enumerate(_walk(value)):
        if depth > MOST_DEPTH or number > MOST_VALUES:
            raise ValueError("too many values, or too deep")
        if len(key) > KEY_CHARACTERS or "\0" in key:
            raise ValueError("a key is too long")
        if isinstance(one, str) and (len(one) > TEXT_CHARACTERS or "\0" in one):
            raise ValueError("a text is too long")
    return value


Scaffold = Annotated[dict[str, JsonValue], AfterValidator(fitting)]


class ProfileUpdate(BaseModel):
    """What the picture becomes; keys of the scaffold that are left out stay, null takes one out."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    updated_scaffold: Scaffold
    updated_working_memory: Annotated[str, Field(max_length=NARRATIVE_CHARACTERS)]
    facts_to_embed: Annotated[
        list[Annotated[str, Text, Field(max_length=FACT_CHARACTERS)]], Field(max_length=MOST_FACTS)
    ]


def _walk(value: object) -> Iterator[tuple[int, str, object]]:
    """Yield every value with its depth and its key; without recursion, whatever the depth."""
    waiting: list[tuple[int, str, object]] = [(0, "", value)]
    while waiting:
        depth, key, one = waiting.pop()
        inside = depth + 1 if isinstance(one, dict | list) else depth
        yield inside, key, one
        if isinstance(one, dict):
            waiting += [(inside, name, part) for name, part in one.items()]
        elif isinstance(one, list):
            waiting += [(inside, "", part) for part in one]
