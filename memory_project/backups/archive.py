"""The archive: a tar of the dump and the workspaces, and last what proves that it is whole.

Nothing of it is ever unpacked by its names: each is looked at first, and files are made by us.
"""

import hashlib
import hmac
import io
import json
import os
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from django.conf import settings
from django.utils.crypto import salted_hmac

from memory_project.backups.errors import BackupDamaged, BackupForeign

DUMP, MANIFEST, SEAL, FILES = "database.dump", "manifest.json", "seal.json", "workspaces/"
FORMAT = 1
SALT = "recollect.backup"
BLOCK = 1 << 20
MOST_MANIFEST = 64 << 20
# An agent, whose files, and a path in which nothing leads up and nothing is hidden but by a dot.
FILE = re.compile(
    r"workspaces/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/(self|\d{1,10})(/[^/\\\0]{1,255}){1,20}"
)
Progress = Callable[[int], object]


@dataclass(slots=True)
class ArchiveWriter:
    """Adds parts to an archive, and what proves them at the end."""

    tar: tarfile.TarFile
    parts: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, file: IO[bytes]) -> None:
        """Add what an open file holds; of one that grows meanwhile what it held at first."""
        about = tarfile.TarInfo(name)
        about.size, about.mode = os.fstat(file.fileno()).st_size, 0o600
        hashed = _Hashed(file)
        self.tar.addfile(about, hashed)
        self.parts[name] = hashed.digest.hexdigest()

    def seal(self, manifest: Mapping[str, object]) -> None:
        text = json.dumps({"format": FORMAT, **manifest, "parts": self.parts}).encode()
        sha256 = hashlib.sha256(text).hexdigest()
        seal = json.dumps({"sha256": sha256, "signature": _signature(sha256)}).encode()
        for name, content in ((MANIFEST, text), (SEAL, seal)):
            about = tarfile.TarInfo(name)
            about.size, about.mode = len(content), 0o600
            self.tar.addfile(about, io.BytesIO(content))


class _Hashed(io.RawIOBase):
    """Reads on, and hashes what was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.digest = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        found = self.file.read(size)
        self.digest.update(found)
        return found


@contextmanager
def writing(file: IO[bytes]) -> Iterator[ArchiveWriter]:
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
        yield ArchiveWriter(tar)


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive that was found whole; it stays open, so that it is what was looked at."""

    tar: tarfile.TarFile
    members: Mapping[str, tarfile.TarInfo]
    manifest: Mapping[str, object]

    @property
    def files(self) -> list[str]:
        """The names of the workspaces' files, as `FILE` has them."""
        return [name for name in self.members if name.startswith(FILES)]

    def read(self, name: str) -> IO[bytes]:
        return _open(self.tar, self.members[name])


@contextmanager
def opened(path: Path, *, is_foreign: bool = False, progress: Progress) -> Iterator[Archive]:
    """Open an archive and look at every byte of its parts.

    Raises BackupDamaged, or BackupForeign unless `is_foreign`.
    """
    try:
        with path.open("rb") as file, tarfile.open(fileobj=file, mode="r:") as tar:
            found = _verified(tar, is_foreign=is_foreign, progress=progress)
            yield found
    except (tarfile.TarError, EOFError, UnicodeError, OverflowError) as error:
        raise BackupDamaged(f"{path.name} is no archive, or cut short") from error


def _verified(tar: tarfile.TarFile, *, is_foreign: bool, progress: Progress) -> Archive:
    members = _members(tar)
    if {DUMP, MANIFEST, SEAL} - members.keys():
        raise BackupDamaged("parts of the archive are missing: it is cut short, or no backup")
    text = _all(tar, members[MANIFEST])
    seal, manifest = _json(_all(tar, members[SEAL])), _json(text)
    sha256 = hashlib.sha256(text).hexdigest()
    if seal.get("sha256") != sha256:
        raise BackupDamaged("the manifest was changed")
    parts = manifest.get("parts")
    if not isinstance(parts, dict) or parts.keys() != members.keys() - {MANIFEST, SEAL}:
        raise BackupDamaged("the archive holds other parts than its manifest names")
    for name, digest in parts.items():
        if _digest(tar, members[name], progress) != digest:
            raise BackupDamaged(f"{name} is cut short, or was changed")
    signed = str(seal.get("signature", ""))
    if not is_foreign and not hmac.compare_digest(signed.encode(), _signature(sha256).encode()):
        raise BackupForeign("the archive was not made with this installation's secret key")
    return Archive(tar, members, manifest)


def _members(tar: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
    found: dict[str, tarfile.TarInfo] = {}
    for member in tar:
        name = member.name
        if not member.isreg() or member.issparse() or name in found or not _is_ours(name):
            raise BackupDamaged("the archive holds what no backup does")
        found[name] = member
    return found


def _is_ours(name: str) -> bool:
    if name in (DUMP, MANIFEST, SEAL):
        return True
    return bool(FILE.fullmatch(name)) and not {".", ".."} & set(name.split("/"))


def _open(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    found = tar.extractfile(member)
    if found is None:
        raise BackupDamaged("the archive holds what no backup does")
    return found


def _all(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    if member.size > MOST_MANIFEST:
        raise BackupDamaged("the manifest is too long")
    return _open(tar, member).read()


def _json(text: bytes) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BackupDamaged("the manifest cannot be read") from error
    if not isinstance(found, dict):
        raise BackupDamaged("the manifest cannot be read")
    return found


def _digest(tar: tarfile.TarFile, member: tarfile.TarInfo, progress: Progress) -> str:
    digest, file = hashlib.sha256(), _open(tar, member)
    while block := file.read(BLOCK):
        digest.update(block)
        progress(len(block))
    return digest.hexdigest()


def _signature(sha256: str) -> str:
    key: str = settings.PSEUDONYM_KEY
    return salted_hmac(SALT, sha256, secret=key, algorithm="sha256").hexdigest()
