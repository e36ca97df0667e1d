"""The table of prices, and what the environment changes of it."""

import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from django.core.exceptions import ImproperlyConfigured

from audit.prices import Price

# Dearer than any model that there is: above it, somebody has mistaken the unit.
MOST = Decimal(1_000_000)
MOST_MODELS = 1_000
PARTS = frozenset({"input", "output", "embedding"})


Prices = Mapping[str, Price]
KNOWN: Prices = {
    "text-embedding-3-small": Price(embedding=Decimal("0.02")),
    "text-embedding-3-large": Price(embedding=Decimal("0.13")),
    "text-embedding-ada-002": Price(embedding=Decimal("0.10")),
    "gpt-4.1": Price(Decimal("2.00"), Decimal("8.00")),
    "gpt-4.1-mini": Price(Decimal("0.40"), Decimal("1.60")),
    "gpt-4.1-nano": Price(Decimal("0.10"), Decimal("0.40")),
    "gpt-4o": Price(Decimal("2.50"), Decimal("10.00")),
    "gpt-4o-mini": Price(Decimal("0.15"), Decimal("0.60")),
}


def prices(raw: str) -> Prices:
    """Return the table, with what a text adds or replaces, model by model.

    Raises ImproperlyConfigured unless it is JSON like {"model": {"input": 0.4, "output": 1.6}}.
    """
    return {**KNOWN, **_read("RECOLLECT_PRICES", raw)} if raw.strip() else KNOWN


def version(table: Prices) -> str:
    """Return what changes when a price does."""
    rows = [f"{model}:{one.input}:{one.output}:{one.embedding}" for model, one in table.items()]
    return hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()[:12]


def amount(raw: str) -> Decimal | None:
    """Return dollars, None for an empty text. Raises ImproperlyConfigured if malformed."""
    return _dollars("RECOLLECT_SYSTEM_EMBEDDINGS", raw.strip()) if raw.strip() else None


def _read(name: str, raw: str) -> Prices:
    try:
        found = json.loads(raw, parse_float=Decimal, parse_int=Decimal, parse_constant=str)
    except (ValueError, RecursionError, InvalidOperation) as error:
        raise ImproperlyConfigured(f"{name} must be JSON") from error
    if not isinstance(found, dict) or len(found) > MOST_MODELS:
        raise ImproperlyConfigured(f"{name} must be an object of at most {MOST_MODELS} models")
    return {model: _price(f"{name}: {model}", parts) for model, parts in found.items()}


def _price(name: str, parts: object) -> Price:
    if not isinstance(parts, dict) or not set(parts) <= PARTS:
        raise ImproperlyConfigured(f"{name} must have no keys but input, output and embedding")
    return Price(**{part: _dollars(f"{name}: {part}", value) for part, value in parts.items()})


def _dollars(name: str, value: object) -> Decimal:
    try:
        found = Decimal(value) if isinstance(value, str | Decimal) else Decimal("nan")
    except InvalidOperation:
        found = Decimal("nan")
    if not (found.is_finite() and 0 <= found <= MOST):
        raise ImproperlyConfigured(
            f"{name} must be dollars from 0 to {MOST}, got {str(value)[:40]!r}"
        )
    return found
