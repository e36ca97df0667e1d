"""What a token costs: dollars per million tokens, which is millionths of a dollar per token."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from django.core.exceptions import ImproperlyConfigured

from memory_project import env

# Dearer than any model that there is: above it, somebody has mistaken the unit.
MOST = Decimal(1_000_000)
MOST_MODELS = 1_000
PARTS = frozenset({"input", "output", "embedding"})
FREE = Decimal(0)


@dataclass(frozen=True, slots=True)
class Price:
    """Millionths of a dollar per token."""

    input: Decimal = FREE
    output: Decimal = FREE
    embedding: Decimal = FREE

    def of(
        self, *, input_tokens: int = 0, output_tokens: int = 0, embedding_tokens: int = 0
    ) -> Decimal:
        """Return millionths of a dollar."""
        return (
            self.input * input_tokens
            + self.output * output_tokens
            + self.embedding * embedding_tokens
        )


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


def prices(name: str) -> Prices:
    """Return the table, with what the variable adds or replaces, model by model.

    Raises ImproperlyConfigured unless it is JSON like {"model": {"input": 0.4, "output": 1.6}}.
    """
    raw = env.text(name)
    return {**KNOWN, **_read(name, raw)} if raw.strip() else KNOWN


def version(table: Prices) -> str:
    """Return what changes when a price does."""
    rows = [f"{model}:{one.input}:{one.output}:{one.embedding}" for model, one in table.items()]
    return hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()[:12]


def amount(name: str) -> Decimal | None:
    """Return dollars, None if the variable is empty. Raises ImproperlyConfigured if malformed."""
    raw = env.text(name).strip()
    return _dollars(name, raw) if raw else None


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
