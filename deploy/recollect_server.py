"""The installed server: its packages lie in this folder, where no other library's names meet them.

The wheel has this file as `recollect_server/__init__.py`, beside the packages and `manage.py`.
"""

import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def main() -> None:
    sys.path.insert(0, str(FOLDER))
    runpy.run_path(str(FOLDER / "manage.py"), run_name="__main__")
