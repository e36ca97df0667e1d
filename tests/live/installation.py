"""A whole installation as a stranger runs it, in a folder and on a port of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import psycopg

from memory_project.database import socket_folder

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90


class Installation:
    """Starts with `start`; everything in it may be killed."""

    def __init__(self, data: Path, *arguments: str, **environment: str) -> None:
        self.data, self.arguments = data, arguments
        self.port = free_port()
        self.failpoints = data / "failpoints"
        self.failpoints.mkdir(parents=True, exist_ok=True)
        self.environment = {
            "RECOLLECT_DATA": str(data),
            "RECOLLECT_PORT": str(self.port),
            "RECOLLECT_EMBEDDER": "hashing",
            "RECOLLECT_FAILPOINTS": str(self.failpoints),
            "RECOLLECT_JOB_LEASE_SECONDS": "3",
            **environment,
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> "Installation":
        own = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        with (self.data / "up.log").open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(ROOT / "manage.py"), "up", *self.arguments],
                env=own | self.environment,
                stdout=log,
                stderr=log,
            )
        self.wait_until(lambda: b"Ctrl-C stops" in self.log()[-100:], START_SECONDS)
        return self

    def stop(self) -> int:
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)

    def log(self) -> bytes:
        return (self.data / "up.log").read_bytes()

    def facts(self) -> dict[str, str]:
        return json.loads((self.data / "up.json").read_text())

    def fail(self, name: str, action: str = "kill") -> Path:
        """Let the next process that passes a failpoint do `action`."""
        path = self.failpoints / name
        path.write_text(action)
        return path

    def call(self, path: str, body: object, key: str = "") -> dict:
        """Send one request; raises OSError when there was no answer, or one that is no success."""
        headers = {
            "Authorization": f"Bearer {self.facts()['agent_key']}",
            "Content-Type": "application/json",
        } | ({"Idempotency-Key": key} if key else {})
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/v1/{path}",
            data=json.dumps(body).encode(),
            headers=headers,
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())

    def insist(self, path: str, body: object, key: str = "") -> dict:
        """Send a request until it is answered, as a client with a key may."""
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.call(path, body, key)
            except (OSError, ValueError) as error:
                client_fault = isinstance(error, urllib.error.HTTPError) and error.code < 500
                if client_fault or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def rows(self, sql: str) -> list[tuple]:
        with psycopg.connect(
            host=str(socket_folder(self.data)), user="postgres", dbname="recollect"
        ) as connection:
            return connection.execute(sql).fetchall()

    def processes(self) -> list[int]:
        """Return the processes that belong to this data folder."""
        marks = (str(self.data).encode(), f"127.0.0.1:{self.port}".encode())
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                texts = [(folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()]
            except OSError:
                continue
            is_me = int(folder.name) == os.getpid()
            if not is_me and any(mark in text for mark in marks for text in texts):
                found.append(int(folder.name))
        return found

    def wait_until(self, holds: Callable[[], object], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while True:
            try:
                if holds():
                    return
            except (OSError, psycopg.Error, ValueError):
                pass
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds} s in vain; log: {self.log()[-600:]!r}")
            time.sleep(0.2)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
