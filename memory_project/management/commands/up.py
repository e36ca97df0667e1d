"""Start everything, and say how to use it."""

import fcntl
import json
import signal
import socket
import time
import urllib.error
import urllib.request
from dataclasses import asdict
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from accounts.setup import first_run
from memory_project.diagnosis import database, extension
from memory_project.embedded import Server, ServerFailed
from memory_project.process import end_group
from memory_project.secret import write_private
from memory_project.supervisor import Supervisor, web, workers

READY_SECONDS = 90.0


class Command(BaseCommand):
    help = "Start the database, the web server and the workers; Ctrl-C stops them all."
    requires_system_checks = ()
    is_stopping = False

    def handle(self, **options: object) -> None:
        data: Path = settings.DATA_DIR
        data.mkdir(parents=True, exist_ok=True)
        with (data / "up.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise CommandError(
                    f"Recollect runs already on {data}: stop it with Ctrl-C, or set RECOLLECT_DATA"
                ) from error
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, self._stop)
            self._run(data)

    def _run(self, data: Path) -> None:
        self._end_leftovers(data)
        _refuse_a_taken_port()
        server = None if settings.DATABASE_URL else Server(data)
        supervisor = Supervisor(
            server, [web(data, settings.PORT), workers(data)], self.stdout.write
        )
        try:
            if server is not None:
                server.start()
            facts = self._prepare(data)
            supervisor.start()
            groups = [child.group for child in supervisor.children]
            (data / "up.groups").write_text(json.dumps(groups), encoding="utf-8")
            self._wait_until_ready(supervisor)
            if not self.is_stopping:
                self.stdout.write(_welcome(facts))
                supervisor.watch(lambda: self.is_stopping)
        except ServerFailed as failure:
            raise CommandError(str(failure)) from failure
        finally:
            self.stdout.write("Stopping …")
            supervisor.stop()

    def _prepare(self, data: Path) -> dict[str, str | None]:
        for check in (database, extension):
            finding = check()
            is_new = finding.message == "not created in this database"
            if not finding.is_ok and not is_new:
                raise CommandError(f"{finding.name}: {finding.message}. {finding.fix}")
        try:
            call_command("migrate", verbosity=0)
        except DatabaseError as error:
            reason = str(error).strip().splitlines()[0]
            raise CommandError(f"cannot migrate: {reason}") from error
        made = asdict(first_run())
        call_command("load_sample")
        connection.close()
        path = data / "up.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        facts = known | {name: value for name, value in made.items() if value is not None}
        facts["url"] = f"http://127.0.0.1:{settings.PORT}"
        write_private(path, facts)
        return facts

    def _wait_until_ready(self, supervisor: Supervisor) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not self.is_stopping and not _is_ready():
            if time.monotonic() > deadline:
                raise CommandError(
                    f"not ready after {READY_SECONDS:.0f} s; see {settings.DATA_DIR}/*.log"
                )
            supervisor.look()
            time.sleep(0.2)

    def _end_leftovers(self, data: Path) -> None:
        """End what a killed run left behind: its groups, if they still run programs of ours."""
        path = data / "up.groups"
        groups = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        for group in groups:
            command = Path(f"/proc/{group}/cmdline")
            members = _members(group)
            if members or (command.exists() and b"memory_project" in command.read_bytes()):
                end_group(group)

    def _stop(self, number: int, frame: object) -> None:
        self.is_stopping = True


def _members(group: int) -> list[int]:
    """Return the processes of a group that run our commands."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        is_ours = b"qcluster" in command or b"memory_project" in command
        if int(fields[2]) == group and is_ours:
            found.append(int(folder.name))
    return found


def _refuse_a_taken_port() -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", settings.PORT))
        except OSError as error:
            raise CommandError(
                f"port {settings.PORT} is taken; choose another: RECOLLECT_PORT=8711 make up"
            ) from error


def _is_ready() -> bool:
    address = f"http://127.0.0.1:{settings.PORT}/health/ready"
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _welcome(facts: dict[str, str | None]) -> str:
    url = facts["url"]
    call = f"curl -sS -H 'Authorization: Bearer {facts['agent_key']}' -H 'Content-Type: application/json' {url}/api/v1"
    read = "python3 -c 'import json,sys; print(json.load(sys.stdin)[\"id\"])'"
    said = '{"messages":[{"role":"user","content":"My cat is called Schrödinger and she only eats trout."}]}'
    return f"""
Recollect is up at {url}
  operator   {facts["operator_login"]} / {facts["operator_password"]}
  agent      {facts["agent"]}, key {facts["agent_key"]}
  also in    {settings.DATA_DIR / "up.json"}

Try it: remember, end the session, ask.
S=$({call}/sessions -d '{{"user":"alice"}}' | {read}) && {call}/sessions/$S/events -d '{said}'
{call}/sessions/$S/end -d '{{}}'
{call}/recall -d '{{"user":"alice","query":"What does my cat eat?"}}'

Ctrl-C stops everything.
"""
