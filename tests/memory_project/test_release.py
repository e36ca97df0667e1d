"""What a release changes, and what is refused."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
script = SimpleNamespace(**runpy.run_path(str(ROOT / "deploy" / "release.py")))
SETTINGS = 'DEBUG = False\nVERSION = "0.1.0"\n'
CHANGELOG = "# Changelog\n\n## Unreleased\n\n- A thing.\n\n## 0.1.0\n\n- `make up`.\n"


def test_what_is_unreleased_goes_under_the_version_and_its_day() -> None:
    assert script.with_release(CHANGELOG, "0.2.0", "2026-11-22") == (
        "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-22)\n\n- A thing.\n\n"
        "## 0.1.0\n\n- `make up`.\n"
    )
    assert script.with_version(SETTINGS, "0.2.0") == 'DEBUG = False\nVERSION = "0.2.0"\n'


def test_a_changelog_after_its_release_fits_the_version_and_has_nothing_to_release() -> None:
    released = script.with_release(CHANGELOG, "0.2.0", "2026-11-22")

    script.check(released, script.with_version(SETTINGS, "0.2.0"))
    with pytest.raises(script.ReleaseUnfit, match="nothing unreleased"):
        script.with_release(released, "0.3.0", "2026-11-23")


@pytest.mark.parametrize("version", ["0.1.0", "0.0.9", "0.2", "v0.2.0", ""])
def test_a_version_that_is_none_or_not_later_is_refused(version: str) -> None:
    with pytest.raises(script.ReleaseUnfit, match=r"three numbers|not later"):
        script.with_version(SETTINGS, version)


def test_the_changelog_of_the_project_fits_its_version() -> None:
    settings = (ROOT / "memory_project" / "settings.py").read_text()

    script.check((ROOT / "CHANGELOG.md").read_text(), settings)
