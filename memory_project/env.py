"""Typed readers of environment variables that refuse malformed values."""

import os
from collections.abc import Sequence
from math import inf
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str = "") -> str:
    """Return the variable, or the content of the file that `<name>_FILE` points to.

    Raises ImproperlyConfigured if that file cannot be read.
    """
    path = os.environ.get(f"{name}_FILE")
    if path is None:
        return os.environ.get(name, default)
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE: {error.strerror}: {path}") from error


def integer(name: str, default: int, *, least: int = 0) -> int:
    """Return the variable as an integer. Raises ImproperlyConfigured below `least` or if malformed."""
    raw = text(name, str(default))
    try:
        value = int(raw)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a whole number, got {raw!r}") from error
    if value < least:
        raise ImproperlyConfigured(f"{name} must be at least {least}, got {value}")
    return value


def number(name: str, default: float) -> float:
    """Return the variable as a number. Raises ImproperlyConfigured below 0, without end or malformed."""
    raw = text(name, str(default))
    try:
        value = float(raw)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a number, got {raw!r}") from error
    if not 0 <= value < inf:
        raise ImproperlyConfigured(f"{name} must be a number from 0 on, got {raw!r}")
    return value


def flag(name: str, *, default: bool) -> bool:
    raw = text(name, "yes" if default else "no").lower()
    known = {"1": True, "true": True, "yes": True, "on": True}
    known |= {"0": False, "false": False, "no": False, "off": False, "": False}
    if raw not in known:
        raise ImproperlyConfigured(f"{name} must be yes or no, got {raw!r}")
    return known[raw]


def choice(name: str, default: str, options: Sequence[str]) -> str:
    value = text(name, default)
    if value not in options:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(options)}, got {value!r}")
    return value


def listing(name: str, default: str = "") -> list[str]:
    """Return the comma-separated variable as a list without empty parts."""
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def origins(name: str) -> list[str]:
    """Return the variable's addresses. Raises ImproperlyConfigured for one without its scheme."""
    found = listing(name)
    for one in found:
        if not one.startswith(("http://", "https://")):
            raise ImproperlyConfigured(f"{name}: each is like https://name, got {one!r}")
    return found
