"""A memory that is one file: opened by its path, shared by processes, without server or Django."""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path

from accounts.errors import Fault
from knowledge.errors import FileUnwritten
from knowledge.notes.entries.operations import EntryKind, EntryValue, Operation
from knowledge.notes.entries.state import Entries, EntryMatch, state_of
from knowledge.notes.files.format import decode, encode

OWNER_ONLY = 0o600
# Which bytes a path named when it was last read: inode, time of change, size.
Stamp = tuple[int, int, int]


def seconds() -> int:
    return int(time.time())


class MemoryFile:
    """Entries in one file. Every change is the whole file anew, or nothing.

    Beside the file lie `NAME.lock`, which orders the processes, and for a moment `NAME.tmp`. A path
    that is not there is an empty memory; the file comes with the first change. Raises FileUnfit for
    a file that is none, FileUnwritten where the system refuses; then the state stays.
    """

    def __init__(self, path: str | os.PathLike[str], clock: Callable[[], int] = seconds) -> None:
        self.path = Path(path).expanduser().resolve()
        self._clock = clock
        self._state = Entries()
        self._stamp: Stamp | None = None
        self._digest = b""
        self._read()

    def apply(self, operation: Operation) -> EntryValue:
        """Do one operation and keep it; return the entry as it is now, or was when it was removed.

        Raises what knowledge.notes.entries.rules.decide raises.
        """
        if not self.path.exists():
            # What fails anyway must leave no lock beside a file that never was.
            Entries().after(operation, 0)
        with self._locked():
            self._read()
            state, entry = self._state.after(operation, self._clock())
            if state is not self._state:
                self._save(state)
        return entry

    def replace(self, entries: Iterable[EntryValue], next_number: int) -> None:
        """Put these entries, which agree with each other, in the place of all there are."""
        state = state_of(entries, next_number)
        with self._locked():
            self._save(state)

    def find(self, name: str) -> EntryValue:
        """Return the entry of this name or alias. Raises EntryUnknown."""
        return self.state.find(name)

    def search(self, query: str, limit: int = 5, kind: EntryKind | None = None) -> list[EntryMatch]:
        """Return the best entries, best first, of all kinds unless one is named."""
        return self.state.search(query, limit, kind)

    def entries(self) -> list[EntryValue]:
        """Return all entries, the oldest first."""
        return list(self.state.entries.values())

    @property
    def state(self) -> Entries:
        """All of it at this moment, with what other processes wrote."""
        if _stamp(self.path) != self._stamp:
            self._read()
        return self._state

    def _read(self) -> None:
        """Take over what the file holds; a file that cannot be read leaves what there is."""
        try:
            with self.path.open("rb") as file:
                stamp, data = _stamp_of(os.fstat(file.fileno())), file.read()
        except FileNotFoundError:
            self._state, self._stamp, self._digest = Entries(), None, b""
            return
        except OSError as error:
            raise _unwritten("read", error) from error
        digest = _digest_of(data)
        if digest != self._digest:
            self._state = decode(data)
        self._stamp, self._digest = stamp, digest

    def _save(self, state: Entries) -> None:
        data = encode(state)
        try:
            write_whole(self.path, data)
        except OSError as error:
            # Whether the new file took its place or not: memory is what the disk holds.
            with suppress(Fault):
                self._read()
            raise _unwritten("written", error) from error
        self._state, self._stamp, self._digest = state, _stamp(self.path), _digest_of(data)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock that every writer of this path holds, thread or process."""
        lock = self.path.with_name(f"{self.path.name}.lock")
        try:
            held = os.open(lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, OWNER_ONLY)
        except OSError as error:
            raise _unwritten("locked", error) from error
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield
        finally:
            os.close(held)


def write_whole(path: Path, data: bytes) -> None:
    """Put bytes in the place of a file's: a crash leaves the old ones or the new ones.

    One writer at a time. Raises OSError.
    """
    beside = path.with_name(f"{path.name}.tmp")
    beside.unlink(missing_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else OWNER_ONLY
    written = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, mode)
    try:
        _write_all(written, data)
        os.fsync(written)
    finally:
        os.close(written)
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _write_all(file: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]


def _stamp(path: Path) -> Stamp | None:
    try:
        return _stamp_of(path.stat())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unwritten("read", error) from error


def _stamp_of(found: os.stat_result) -> Stamp:
    return found.st_ino, found.st_mtime_ns, found.st_size


def _digest_of(data: bytes) -> bytes:
    return blake2b(data, digest_size=32).digest()


def _unwritten(what: str, error: OSError) -> FileUnwritten:
    name = errno.errorcode.get(error.errno or 0, "EIO")
    return FileUnwritten(f"the memory file cannot be {what}: {name}")
