"""Make a release: `python deploy/release.py check`, or `python deploy/release.py 0.2.0`.

A release moves what is unreleased in CHANGELOG.md under its version and date, sets the version in
memory_project/settings.py, builds the wheel into `dist/` and checks it. Nothing is committed,
tagged or sent: the last lines say how.
"""

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHANGELOG, SETTINGS = ROOT / "CHANGELOG.md", ROOT / "memory_project" / "settings.py"
VERSION = re.compile(r'^VERSION = "(\d+\.\d+\.\d+)"$', re.MULTILINE)
RELEASE = re.compile(r"^## (\d+\.\d+\.\d+)", re.MULTILINE)
UNRELEASED = "## Unreleased\n"


class ReleaseUnfit(Exception):
    """There is no release to be made of this; the text says why."""


def numbers(version: str) -> tuple[int, ...]:
    """Return a version's three numbers. Raises ReleaseUnfit for anything else."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ReleaseUnfit(f"a version has three numbers, like 0.2.0, not {version!r}")
    return tuple(int(part) for part in version.split("."))


def current(settings: str) -> str:
    found = VERSION.search(settings)
    if found is None:
        raise ReleaseUnfit(f'{SETTINGS.name} has no line like VERSION = "0.1.0"')
    return found.group(1)


def with_version(settings: str, version: str) -> str:
    """Return the settings with a version. Raises ReleaseUnfit where it is not a later one."""
    if numbers(version) <= numbers(current(settings)):
        raise ReleaseUnfit(f"{version} is not later than {current(settings)}")
    return VERSION.sub(f'VERSION = "{version}"', settings)


def with_release(changelog: str, version: str, day: str) -> str:
    """Return the changelog with what is unreleased under a version. Raises ReleaseUnfit."""
    before, mark, after = changelog.partition(UNRELEASED)
    if not mark or not re.split(r"^## ", after, maxsplit=1, flags=re.MULTILINE)[0].strip():
        raise ReleaseUnfit("the changelog has nothing unreleased")
    return f"{before}{mark}\n## {version} ({day})\n{after}"


def check(changelog: str, settings: str) -> None:
    """Raise ReleaseUnfit unless changelog and version agree and the releases are in order."""
    releases = RELEASE.findall(changelog)
    if releases[:1] != [current(settings)]:
        raise ReleaseUnfit(f"the changelog's latest release is not {current(settings)}")
    if sorted(releases, key=numbers, reverse=True) != releases:
        raise ReleaseUnfit("the changelog's releases are not in order")
    if UNRELEASED not in changelog:
        raise ReleaseUnfit("the changelog has no heading for what is unreleased")


def build(folder: Path) -> None:
    """Build the wheel and try it in an environment of its own."""
    _run("-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder))
    tests = [f"tests/memory_project/test_{name}.py" for name in ("wheel", "image", "release")]
    _run("-m", "memory_project.with_postgres", sys.executable, "-m", "pytest", "-q", *tests)


def release(version: str) -> None:
    changelog, settings = CHANGELOG.read_text(), SETTINGS.read_text()
    check(changelog, settings)
    day = datetime.now(UTC).date().isoformat()
    released, versioned = with_release(changelog, version, day), with_version(settings, version)
    CHANGELOG.write_text(released)
    SETTINGS.write_text(versioned)
    build(ROOT / "dist")
    sys.stdout.write(
        f"\n{version} lies in dist/. Look it over, then:\n"
        f"git commit -am 'Release {version}.' && git tag v{version} && git push --tags\n"
    )


def _run(*arguments: str) -> None:
    if subprocess.run([sys.executable, *arguments], cwd=ROOT, check=False).returncode:  # noqa: S603
        raise ReleaseUnfit(f"failed: python {' '.join(arguments)}")


def main(argument: str) -> None:
    if argument == "check":
        check(CHANGELOG.read_text(), SETTINGS.read_text())
        build(ROOT / "dist")
    else:
        release(argument)


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) == 2 else "")
    except ReleaseUnfit as reason:
        sys.exit(f"{reason}")
