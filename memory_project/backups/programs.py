"""PostgreSQL's own programs that fit the server, and the database they are to connect to."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

from memory_project import database
from memory_project.backups.errors import ProgramsMissing
from memory_project.server_files import account_for, programs


@dataclass(frozen=True, slots=True)
class BackupTarget:
    """The database in use. `address` names no password: it can be seen among the processes."""

    address: str
    password: str
    server: int

    @property
    def environment(self) -> dict[str, str]:
        # Their words are read by us, so they are not to be translated.
        own = {"LC_ALL": "C"} | ({"PGPASSWORD": self.password} if self.password else {})
        return os.environ | own


def target() -> BackupTarget:
    connection.ensure_connection()
    info = connection.connection.info
    # Ours are limits for requests.
    address = make_conninfo(info.dsn, options="")
    return BackupTarget(address, info.password or "", info.server_version // 10_000)


def program(name: str, server: int) -> str:
    """Return the path of a program that fits a server of this version. Raises ProgramsMissing."""
    if not settings.DATABASE_URL:
        home = database.home(settings.DATA_DIR)
        return str(programs(home, account_for(home / "data")) / name)
    found = shutil.which(name)
    if found is None:
        raise ProgramsMissing(f"there is no {name} on PATH")
    version = _version(found)
    if version < server:
        raise ProgramsMissing(f"{name} is of PostgreSQL {version}, the server of {server}")
    return found


def _version(path: str) -> int:
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)  # noqa: S603 - found on PATH
    number = re.search(r"\d+", said.stdout)
    return int(number.group()) if number else 0


def first_error(said: str) -> str:
    """Return what a program complains of first."""
    lines = [line for line in said.splitlines() if "error:" in line.lower()] or said.splitlines()
    return lines[0].strip()[:300] if lines else "no reason given"


def beside(path: Path, part: str) -> Path:
    """Return a hidden name in the same folder, which a rename can put in the place of `path`."""
    return path.with_name(f".{path.name}.{os.getpid()}.{part}")
