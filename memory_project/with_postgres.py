"""Run a command with a PostgreSQL of its own: `python -m memory_project.with_postgres COMMAND…`.

With DATABASE_URL set, that server is used and none is started.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from memory_project.embedded import Server, ServerFailed


def main(command: list[str]) -> int:
    """Return the command's own exit code."""
    if os.environ.get("DATABASE_URL"):
        return subprocess.run(command, check=False).returncode  # noqa: S603 - the caller's own
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        data = Path(folder)
        # The server's user must be able to walk in; what lies inside is its own.
        data.chmod(0o755)
        server = Server(data)
        try:
            server.start()
            own = os.environ | {"RECOLLECT_DATA": folder}
            return subprocess.run(command, env=own, check=False).returncode  # noqa: S603 - the caller's
        except ServerFailed as failure:
            sys.stderr.write(f"{failure}\n")
            return 1
        finally:
            server.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
