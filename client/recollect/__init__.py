"""Recollect for Python: what happened goes in, one ready prompt comes out."""

from recollect.aio import AsyncRecollect
from recollect.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    RecollectError,
    Throttled,
    Unavailable,
    Unreachable,
)
from recollect.memory import AsyncMemory, Memory
from recollect.results import Context, Document, Forgotten, Hit, Recalled, Session, Stored
from recollect.sync import Recollect
from recollect.verbs import Added, ForgottenItems, Item, Source

__all__ = [
    "Added",
    "AsyncMemory",
    "AsyncRecollect",
    "Conflict",
    "Context",
    "Document",
    "Forbidden",
    "Forgotten",
    "ForgottenItems",
    "Hit",
    "Invalid",
    "Item",
    "Memory",
    "NotFound",
    "Recalled",
    "Recollect",
    "RecollectError",
    "Session",
    "Source",
    "Stored",
    "Throttled",
    "Unavailable",
    "Unreachable",
]
