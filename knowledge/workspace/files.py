"""List, read, write and delete the files of a workspace, and its earlier texts."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from accounts.models import Owner
from knowledge.errors import FileNotWritable, FileTooLong, FileUnknown
from knowledge.workspace.folder import names_in, opened, read_text, replace_text
from knowledge.workspace.names import MOST_CHARACTERS, SCAFFOLD, WRITABLE, File, written

MOST_VERSIONS = 20


@dataclass(frozen=True, slots=True)
class Listed:
    """A file as a list shows it; `size` in bytes."""

    name: str
    size: int
    changed_at: datetime
    is_writable: bool


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier text of a file; the highest number is the newest."""

    number: int
    size: int
    replaced_at: datetime


def list_files(owner: Owner) -> list[Listed]:
    """Return every file of the workspace. Raises WorkspaceUnavailable."""
    with opened(owner) as folder:
        return [_listed(folder, name) for name in names_in(folder)]


def read_file(*, owner: Owner, name: str) -> str:
    """Return a file's text, its first 200,000 characters. Raises FileUnknown, WorkspaceUnavailable."""
    with opened(owner) as folder:
        return read_text(_named(folder, name))


def write_file(*, owner: Owner, name: str, text: str) -> bool:
    """Put a text in the place of a file's; the one before is kept. False if nothing changed.

    Raises FileNotWritable, FileTooLong, or WorkspaceUnavailable.
    """
    if name not in WRITABLE:
        raise FileNotWritable("this file is not written over the API")
    if len(text) > MOST_CHARACTERS or "\0" in text:
        raise FileTooLong(f"a file has at most {MOST_CHARACTERS} characters, and no NUL")
    with opened(owner) as folder:
        path = _named(folder, name)
        old = read_text(path)
        if old == text:
            return False
        # MEMORY.md holds what may be forgotten, and an earlier text would still tell it.
        if name != File.MEMORY and written(File(name), old):
            _keep(folder, name, old)
        replace_text(path, text)
    return True


def delete_file(*, owner: Owner, name: str) -> None:
    """Delete a file with its earlier texts; one that belongs there begins anew with its next use.

    Raises FileUnknown, WorkspaceUnavailable.
    """
    with opened(owner) as folder:
        path = _named(folder, name)
        for _, earlier in _earlier(folder, name):
            earlier.unlink()
        path.unlink()


def restore_file(*, owner: Owner, name: str, text: str) -> None:
    """Write a file's text again that was deleted; what was written in its place since stays.

    Raises WorkspaceUnavailable.
    """
    with opened(owner) as folder:
        path = folder / name
        now = read_text(path).strip()
        if not now or now == SCAFFOLD.get(name, "").strip():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_text(path, text)


def versions_of(*, owner: Owner, name: str) -> list[Version]:
    """Return what is known of a file's earlier texts, newest first. Raises FileUnknown."""
    with opened(owner) as folder:
        _named(folder, name)
        return [_version(number, path) for number, path in reversed(_earlier(folder, name))]


def read_version(*, owner: Owner, name: str, number: int) -> str:
    """Return an earlier text of a file. Raises FileUnknown."""
    with opened(owner) as folder:
        _named(folder, name)
        for found, path in _earlier(folder, name):
            if found == number:
                return read_text(path)
    raise FileUnknown("the file has no such version")


def _named(folder: Path, name: str) -> Path:
    if name not in names_in(folder):
        raise FileUnknown("there is no such file")
    return folder / name


def _keep(folder: Path, name: str, text: str) -> None:
    place = _place(folder, name)
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    before = _earlier(folder, name)
    number = before[-1][0] + 1 if before else 1
    replace_text(place / f"{number:06}.txt", text)
    for _, path in before[: max(len(before) + 1 - MOST_VERSIONS, 0)]:
        path.unlink()


def _earlier(folder: Path, name: str) -> list[tuple[int, Path]]:
    """Return the earlier texts with their numbers, oldest first."""
    found = [path for path in _place(folder, name).glob("*.txt") if path.stem.isdigit()]
    return sorted((int(path.stem), path) for path in found if not path.is_symlink())


def _place(folder: Path, name: str) -> Path:
    return folder / ".versions" / name


def _listed(folder: Path, name: str) -> Listed:
    found = (folder / name).stat()
    return Listed(name, found.st_size, _time(found.st_mtime), name in WRITABLE)


def _version(number: int, path: Path) -> Version:
    found = path.stat()
    return Version(number, found.st_size, _time(found.st_mtime))


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
