"""Kill a writer of a memory file at every byte and every step; run as a program, in its own process.

Prints a line for each kill: where, and which memory the file then held.
"""

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from knowledge.notes.entries.operations import Add, Write
from knowledge.notes.files.format import encode
from knowledge.notes.files.memory_file import MemoryFile

OLD, NEW = "eats trout", "eats salmon"


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def at_byte(limit: int) -> None:
    """Die once so many bytes of the new file are written."""
    real, written = os.write, [0]

    def write(file: int, data: bytes) -> int:
        left = limit - written[0]
        if left <= 0:
            die()
        written[0] += real(file, bytes(data[:1]))
        return 1

    setattr(os, "write", write)  # noqa: B010 - the module's own, for this process


def before(call: str, times: int) -> None:
    """Die instead of the call of a system function, at its nth time."""
    owner = os if hasattr(os, call) else Path
    real, seen = getattr(owner, call), [0]

    def dying(*arguments: object) -> object:
        seen[0] += 1
        if seen[0] == times:
            die()
        return real(*arguments)

    setattr(owner, call, dying)


def killed(path: Path, arm: Callable[[], None]) -> None:
    child = os.fork()
    if child == 0:
        arm()
        MemoryFile(path).apply(Write("cat", NEW))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), status


def main(folder: Path) -> None:
    path = folder / "memory.crmem"
    MemoryFile(path).apply(Add("cat", OLD))
    old = path.read_bytes()
    expected, _ = MemoryFile(path).state.after(Write("cat", NEW), 0)
    new = encode(expected)
    places = {f"byte {number}": partial(at_byte, number) for number in range(len(new))}
    steps = (("fsync", 1), ("replace", 1), ("fsync", 2))
    places |= {f"{call} {times}": partial(before, call, times) for call, times in steps}
    for where, arm in places.items():
        path.write_bytes(old)
        killed(path, arm)
        found = {old: "old", new: "new"}.get(path.read_bytes(), "broken")
        # The one that comes after opens it, and is not hindered by what was left beside it.
        memory = MemoryFile(path)
        memory.apply(Write("cat", "goes on"))
        goes_on = MemoryFile(path).find("cat").content == "goes on"
        sys.stdout.write(f"{where} {found if goes_on else 'stuck'}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
