"""What pip installs: one folder, one command, and all that a server needs."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the `recollect` command of a new environment that borrows this one's libraries."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    place = next(folder.glob("lib/python*/site-packages"))
    (place / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    options = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", *options, str(wheel)], check=True, capture_output=True)
    return folder / "bin" / "recollect"


def run(command: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command far from the checkout, with a home of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    own = {name: value for name, value in kept.items() if name != "PYTHONPATH"}
    own |= {"HOME": str(folder), "XDG_DATA_HOME": "", "RECOLLECT_EMBEDDER": "hashing"}
    return subprocess.run(
        [str(command), *arguments],
        env=own,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_wheel_holds_every_file_that_the_server_reads(wheel: Path) -> None:
    packages = {app.split(".")[0] for app in settings.INSTALLED_APPS if (ROOT / app).is_dir()}
    packages |= {"extraction", "providers", "ranking", "static", "templates"}
    names = zipfile.ZipFile(wheel).namelist()

    expected = {
        f"recollect_server/{path.relative_to(ROOT)}"
        for package in packages
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert expected - set(names) == set()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"recollect_server", "recollect"}


def test_the_wheel_names_its_version_and_its_licence(wheel: Path) -> None:
    files = zipfile.ZipFile(wheel)
    metadata = next(name for name in files.namelist() if name.endswith("METADATA"))
    text = files.read(metadata).decode()

    assert f"\nVersion: {settings.VERSION}\n" in text
    assert "\nLicense-Expression: Apache-2.0\n" in text


def test_the_command_lists_what_a_checkout_has(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "help", "--commands")

    assert done.returncode == 0, done.stderr
    expected = {path.stem for path in ROOT.glob("*/management/commands/[a-z]*.py")}
    assert expected - set(done.stdout.split()) == set()


def test_the_doctor_examines_and_keeps_data_in_the_home(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "doctor")

    assert "Traceback" not in done.stderr
    assert "database: " in done.stdout
    assert (tmp_path / ".local" / "share" / "recollect" / "secrets.json").is_file()
