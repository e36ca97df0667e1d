"""Secrets of an installation: made once, kept in a file that only its owner reads."""

import fcntl
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
        return known[name] if name in known else _make(path, name)
    except (OSError, ValueError) as error:
        raise ImproperlyConfigured(f"cannot use {path}: {error}; set RECOLLECT_DATA") from error


def _make(path: Path, name: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    with (path.parent / "secrets.lock").open("w") as lock:
        # Of two first starts at once the second reads what the first made.
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = {name: secrets.token_urlsafe(48)} | _read(path)
        write_private(path, known)
    return known[name]


def write_private(path: Path, content: object) -> None:
    """Replace a JSON file by one that its owner alone can read."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    if os.geteuid() == 0:
        # What root puts into somebody's folder is theirs: they could not start without it.
        os.fchown(descriptor, path.parent.stat().st_uid, path.parent.stat().st_gid)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    known: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return known
