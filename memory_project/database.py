"""Where the database is: `DATABASE_URL`, or the embedded server below the data folder."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

# The kernel allows 107 bytes for a socket's address; PostgreSQL adds "/.s.PGSQL.5432".
LONGEST_SOCKET_FOLDER = 85
SHELTER = Path("/var/lib")

# Set per connection, not with SET, so that nothing leaks from one request to the next.
# One owner's rows are few: parallel workers and the JIT cost more than they give.
# A failed statement must not put its text, which may be someone's words, into the server's log.
SESSION = {
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    # Planning the search anew at each call takes longer than running it: one plan serves all owners.
    "plan_cache_mode": "force_generic_plan",
    "lock_timeout": "2s",
    "idle_in_transaction_session_timeout": "30s",
}


def is_reachable(path: Path) -> bool:
    """Say whether a user without rights of their own could walk into this folder."""
    folder = path.resolve()
    steps = (folder, *folder.parents)
    return all(step.stat().st_mode & stat.S_IXOTH for step in steps if step.exists())


def home(data: Path) -> Path:
    """Return where the embedded server lives: in the data folder, where its user can get there.

    Root runs the server as another user. Below a folder closed to others it lives in /var/lib,
    under a name made from the data folder's, because opening the folder is not ours to do. Where
    a cluster is, it stays, whatever becomes of the rights of the folders above.
    """
    below, shelter = data.resolve() / "postgres", SHELTER / f"recollect-{_name(data)}"
    if os.geteuid() != 0 or (below / "data").exists():
        return below
    return below if is_reachable(data) and not (shelter / "data").exists() else shelter


def socket_folder(data: Path) -> Path:
    """Return the folder of the embedded server's socket for a data folder.

    A path too long for a socket gets a short one in the system's temporary folder, named by a hash.
    """
    folder = home(data) / "socket"
    if len(os.fsencode(folder)) <= LONGEST_SOCKET_FOLDER:
        return folder
    return Path(tempfile.gettempdir()) / f"recollect-{_name(data)}"


def _name(data: Path) -> str:
    return hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:16]


def embedded(data: Path) -> dict[str, object]:
    return {"NAME": "recollect", "USER": "postgres", "HOST": str(socket_folder(data)), "PORT": 5432}


def from_url(url: str) -> dict[str, object]:
    """Parse `postgresql://user:password@host:port/name?option=value`.

    Raises ImproperlyConfigured for another scheme, a bad port or a missing name.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured(f"DATABASE_URL: {error}") from error
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured("DATABASE_URL must start with postgresql://")
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ImproperlyConfigured("DATABASE_URL must name a database: postgresql://host/name")
    query = dict(parse_qsl(parts.query))
    return {
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", unquote(parts.hostname or "")),
        "PORT": port or query.pop("port", ""),
        "OPTIONS": query,
    }


def settings(url: str, data: Path, *, max_age: int, statement_seconds: int) -> dict[str, object]:
    """Return Django's DATABASES entry. `statement_seconds` 0 means no limit."""
    found = from_url(url) if url else embedded(data)
    session = SESSION | {"statement_timeout": f"{statement_seconds}s"}
    given = found.get("OPTIONS")
    options = dict(given) if isinstance(given, dict) else {}
    options["options"] = " ".join(f"-c {name}={value}" for name, value in session.items())
    options["prepare_threshold"] = 5
    # An address that swallows packets is a mistake to name, not one to wait minutes for.
    options.setdefault("connect_timeout", 10)
    return found | {
        "ENGINE": "django.db.backends.postgresql",
        "OPTIONS": options,
        "CONN_MAX_AGE": max_age,
        "CONN_HEALTH_CHECKS": True,
    }
