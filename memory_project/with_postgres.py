"""Run a command with a PostgreSQL of its own: `python -m memory_project.with_postgres COMMAND…`.

With DATABASE_URL set, that server is used and none is started.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from memory_project.embedded import Server
from memory_project.server_files import ServerFailed


def main(command: list[str]) -> int:
    """Return the command's own exit code."""
    if os.environ.get("DATABASE_URL"):
        return _run(command)
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        data = Path(folder)
        # The server's user must be able to walk in; what lies inside is its own.
        data.chmod(0o711)
        server = Server(data)
        try:
            server.start()
            return _run(command, {"RECOLLECT_DATA": folder})
        except ServerFailed as failure:
            sys.stderr.write(f"{failure}\n")
            return 1
        finally:
            server.stop()
            for rest in (server.home, server.socket):
                shutil.rmtree(rest, ignore_errors=True)


def _run(command: list[str], own: dict[str, str] | None = None) -> int:
    try:
        return subprocess.run(command, env=os.environ | (own or {}), check=False).returncode  # noqa: S603 - the caller's
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
