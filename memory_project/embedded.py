"""PostgreSQL with pgvector from a Python package: made, started and stopped by us.

The package's own starter opens parent folders to everyone and leaves servers running; only its
binaries are used. The server listens on a socket in a folder of its own, and on no port.
"""

import fcntl
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memory_project import database
from memory_project.process import dies_with_parent
from memory_project.server_files import (
    ServerAccount,
    ServerFailed,
    account_for,
    programs,
    take_folder,
)

# After a crash the dead server's last processes may need some seconds to go.
LINGER_SECONDS = 20.0
# Replaying what a crash left may take long, and cut off it would begin anew.
RECOVERY_SECONDS = 600.0
STOP_SECONDS = 30.0
PORT = "5432"
# A failed statement is someone's words: the log gets its code, and neither text nor parameters.
SETTINGS = {
    "listen_addresses": "",
    "port": PORT,
    "unix_socket_permissions": "0700",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "log_checkpoints": "off",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
}
CREATE = "select 'create database recollect' where not exists (select from pg_database where datname = 'recollect')"


@dataclass(slots=True)
class Server:
    """The embedded server of a data folder, as a child of this process."""

    data: Path
    process: subprocess.Popen[bytes] | None = None
    account: ServerAccount = field(default_factory=ServerAccount)
    programs: Path = Path()

    @property
    def home(self) -> Path:
        return database.home(self.data)

    @property
    def socket(self) -> Path:
        return database.socket_folder(self.data)

    @property
    def cluster(self) -> Path:
        return self.home / "data"

    def start(self) -> None:
        """Start the server, making it first where there is none, and its database.

        Raises ServerFailed.
        """
        self.account = account_for(self.cluster)
        for folder in (self.home, self.socket):
            take_folder(folder, self.account)
        with _locked(self.home / "lock"):
            self.programs = programs(self.home, self.account)
            if not (self.cluster / "PG_VERSION").exists():
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

    def _make(self) -> None:
        # Made beside its place and renamed: a start that was cut off leaves no half a cluster.
        fresh = self.home / "data.new"
        for rest in (fresh, self.cluster):
            shutil.rmtree(rest, ignore_errors=True)
        arguments = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
        self._run("initdb", "-D", str(fresh), *arguments, "--no-instructions")
        fresh.rename(self.cluster)

    def _launch(self) -> None:
        if self._answers():
            # It outlived whoever started it, on a system that does not end children with parents.
            self._run("pg_ctl", "-D", str(self.cluster), "-m", "fast", "-w", "stop")
        begun = time.monotonic()
        while time.monotonic() < begun + LINGER_SECONDS:
            self.process = self._spawn()
            while self.process.poll() is None and time.monotonic() < begun + RECOVERY_SECONDS:
                if self._answers() and self._is_ours(self.process.pid):
                    return
                time.sleep(0.05)
            time.sleep(0.5)
        self.stop()
        raise ServerFailed(f"PostgreSQL does not start; see {self.home / 'log'}")

    def _spawn(self) -> subprocess.Popen[bytes]:
        settings = SETTINGS | {"unix_socket_directories": str(self.socket)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.home / "log").open("ab") as log:
            return subprocess.Popen(  # noqa: S603 - our own binary
                [str(self.programs / "postgres"), "-D", str(self.cluster), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                # SIGINT is PostgreSQL's clean and quick stop.
                preexec_fn=lambda: dies_with_parent(signal.SIGINT),
                user=self.account.uid,
                group=self.account.gid,
                extra_groups=self.account.groups,
            )

    def _answers(self) -> bool:
        return self._call("pg_isready", "-q", "-h", str(self.socket), "-p", PORT).returncode == 0

    def _is_ours(self, process: int) -> bool:
        """Say whether this process, not one that is about to end, is the one that answers."""
        try:
            noted = (self.cluster / "postmaster.pid").read_text(encoding="utf-8")
        except FileNotFoundError:
            return False
        return noted.split()[:1] == [str(process)]

    def _create_database(self) -> None:
        shell = ["-X", "-h", str(self.socket), "-p", PORT, "-U", "postgres", "-d", "postgres"]
        made = self._run("psql", *shell, "-qtA", "-c", CREATE)
        if made.strip():
            self._run("psql", *shell, "-qtA", "-c", made.strip())

    def _run(self, name: str, *arguments: str) -> str:
        done = self._call(name, *arguments)
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
            raise ServerFailed(f"{name} failed: {last[0]}")
        return done.stdout

    def _call(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - our own binary
            [str(self.programs / name), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd="/",
            check=False,
            # Ctrl-C is for us to answer, not for what we are waiting for.
            start_new_session=True,
            user=self.account.uid,
            group=self.account.gid,
            extra_groups=self.account.groups,
        )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one starter at a time at the server."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
