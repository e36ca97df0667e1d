"""Secrets of an installation: made once, kept in a file that only its owner reads."""

import json
import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def key(data: Path, name: str) -> str:
    """Return the named secret of the data folder, making it on first use.

    Raises ImproperlyConfigured if the folder can be neither read nor written.
    """
    path = data / "secrets.json"
    try:
        known = _read(path)
        if name not in known:
            data.mkdir(parents=True, exist_ok=True)
            _write(path, known | {name: secrets.token_urlsafe(48)})
            known = _read(path)
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(f"cannot use {path}: {error}; set RECOLLECT_DATA") from error
    return known[name]


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    known: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return known


def _write(path: Path, known: dict[str, str]) -> None:
    # Linked, not renamed: of two first starts at once one wins and both read the same secret.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(known, file)
    temporary.replace(path)
