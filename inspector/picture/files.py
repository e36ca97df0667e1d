"""The files that an agent keeps about a person, to read."""

from collections.abc import Sequence

from accounts.errors import Fault
from accounts.models import Owner
from knowledge.workspace.files import Listed, list_files, read_file
from knowledge.workspace.folder import folder_of
from knowledge.workspace.names import SCAFFOLD, File, written

MOST_FILES = 50
MOST_SHOWN = 20_000


def files_about(owner: Owner) -> Sequence[Listed]:
    """Return the files that say something, the newest first; none where nobody has a folder."""
    if not folder_of(owner).is_dir():
        return []
    try:
        found = [one for one in list_files(owner) if _says_something(owner, one)]
    except Fault:
        return []
    return sorted(found, key=lambda one: one.changed_at, reverse=True)[:MOST_FILES]


def text_about(owner: Owner, name: str, files: Sequence[Listed]) -> str | None:
    """Return the beginning of a file that is listed, or None."""
    if name not in {one.name for one in files}:
        return None
    try:
        return read_file(owner=owner, name=name)[:MOST_SHOWN]
    except Fault:
        return None


def _says_something(owner: Owner, one: Listed) -> bool:
    # A file that is as it was made has just the length of what it was made with.
    if one.name not in SCAFFOLD or one.size != len(SCAFFOLD[File(one.name)].encode()):
        return one.size > 0
    return bool(written(File(one.name), read_file(owner=owner, name=one.name)))
