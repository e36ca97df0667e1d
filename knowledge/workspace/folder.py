"""An owner's folder: where it is, who writes in it at a time, and how a file is read and replaced.

A name is opened only if a walk through the folder finds exactly it, and the walk follows no link:
no spelling of a name leads anywhere else.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from accounts.models import Agent, Owner
from knowledge.errors import WorkspaceUnavailable
from knowledge.workspace.names import FOLDERS, MOST_READ, SCAFFOLD

SELF = "self"
REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full",
    errno.EROFS: "the folder is read-only",
    errno.EACCES: "the folder is read-only",
    errno.EPERM: "the folder is read-only",
    errno.ELOOP: "a link stands where a file should be",
}


def folder_of(owner: Owner) -> Path:
    """Return the owner's folder; its parts are ids, so that no name can lead out of the root."""
    name = SELF if owner.kind == Owner.Kind.AGENT else str(owner.pk)
    return root() / str(owner.agent_id) / name


def own_folder(agent: Agent) -> Path:
    """Return the folder of what is the agent's own."""
    return root() / str(agent.pk) / SELF


@contextmanager
def opened(owner: Owner) -> Iterator[Path]:
    """Hold an owner's folder alone, with every file that belongs there; what is there stays.

    Raises WorkspaceUnavailable.
    """
    folder = folder_of(owner)
    with reachable():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _scaffold(folder)
            yield folder


@contextmanager
def reachable() -> Iterator[None]:
    """Say what is wrong with the disk in the domain's words. Raises WorkspaceUnavailable."""
    try:
        yield
    except OSError as error:
        reason = REASONS.get(error.errno or 0, "the folder cannot be used")
        raise WorkspaceUnavailable(f"the workspace: {reason}") from error


def names_in(folder: Path) -> list[str]:
    """Return the Markdown files below a folder, in order; what is hidden or a link is none."""
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        here = Path(place)
        found += [here / name for name in files if name.endswith(".md") and name[0] != "."]
    return sorted(path.relative_to(folder).as_posix() for path in found if not path.is_symlink())


def read_text(path: Path) -> str:
    """Return the beginning of a file; empty if there is none. A link is not followed."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return ""
    with open(number, encoding="utf-8", errors="replace") as file:
        return file.read(MOST_READ)


def replace_text(path: Path, text: str) -> None:
    """Write the whole file or nothing of it."""
    new = path.with_name(f".{path.name}.new")
    with new.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def add_text(path: Path, text: str) -> None:
    """Add to the end of a file, which may be longer than what is ever read of it."""
    number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with open(number, "a", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def root() -> Path:
    """Return where all workspaces are."""
    named: str = settings.WORKSPACE
    return Path(named) if named else settings.DATA_DIR / "workspaces"


def _scaffold(folder: Path) -> None:
    for name in FOLDERS:
        part = folder / name
        part.mkdir(exist_ok=True, mode=0o700)
        if part.is_symlink():
            raise OSError(errno.ELOOP, "a link")
    for file, text in SCAFFOLD.items():
        path = folder / file
        if not path.exists() and not path.is_symlink():
            replace_text(path, text)
