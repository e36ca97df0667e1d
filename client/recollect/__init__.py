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
from recollect.results import Context, Document, Forgotten, Hit, Recalled, Session, Stored
from recollect.sync import Recollect

__all__ = [
    "AsyncRecollect",
    "Conflict",
    "Context",
    "Document",
    "Forbidden",
    "Forgotten",
    "Hit",
    "Invalid",
    "NotFound",
    "Recalled",
    "Recollect",
    "RecollectError",
    "Session",
    "Stored",
    "Throttled",
    "Unavailable",
    "Unreachable",
]
