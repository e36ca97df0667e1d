"""Where data lies when no setting says so."""

import os
from pathlib import Path


def default(base: Path) -> Path:
    """Return `var` of a checkout; for an installed server, a folder of the user's own.

    What pip installed is replaced by the next version, and nothing of a person's may lie there.
    """
    if (base / "pyproject.toml").exists():
        return base / "var"
    shared = os.environ.get("XDG_DATA_HOME", "")
    parent = Path(shared) if Path(shared).is_absolute() else Path.home() / ".local" / "share"
    return parent / "recollect"
