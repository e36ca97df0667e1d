"""Whether an item fits what a LangGraph store is asked for (pure)."""

from collections.abc import Callable, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any

from langgraph.store.base import MatchCondition

ANYTHING = "*"
COMPARED: Mapping[str, Callable[[float, float], bool]] = {
    "$gt": gt,
    "$gte": ge,
    "$lt": lt,
    "$lte": le,
}


def fits(value: Any, wanted: Any) -> bool:
    """Say whether a value is the wanted one; an object may name operators or some of the fields.

    Raises ValueError for an operator there is not.
    """
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_operated(value, name, operand) for name, operand in wanted.items())
        has_fields = isinstance(value, Mapping)
        return has_fields and all(fits(value.get(name), each) for name, each in wanted.items())
    if isinstance(wanted, list | tuple):
        same_size = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same_size and all(map(fits, value, wanted))
    return bool(value == wanted)


def matches(condition: MatchCondition, namespace: Sequence[str]) -> bool:
    """Say whether a namespace begins, or ends, as the condition has it."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    is_suffix = condition.match_type == "suffix"
    part = namespace[len(namespace) - len(path) :] if is_suffix else namespace[: len(path)]
    return all(each in {ANYTHING, label} for each, label in zip(path, part, strict=True))


def _operated(value: Any, name: str, operand: Any) -> bool:
    if name in {"$eq", "$ne"}:
        return bool((value == operand) is (name == "$eq"))
    if name not in COMPARED:
        raise ValueError(f"there is no operator {name}")
    try:
        return COMPARED[name](float(value), float(operand))
    except (TypeError, ValueError):
        return False
