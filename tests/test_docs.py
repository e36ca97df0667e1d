"""The documentation names what the code has."""

import re
from pathlib import Path

import yaml

from accounts.errors import Fault
from api.errors import HINTS
from providers.errors import ProviderFault

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"


def codes(fault: type) -> set[str]:
    return {fault.code} | {code for child in fault.__subclasses__() for code in codes(child)}


def test_every_setting_is_documented_and_none_besides():
    source = (ROOT / "memory_project" / "settings.py").read_text()
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', source))

    documented = set(
        re.findall(r"^\| `([A-Z_]+)`", (DOCS / "settings.md").read_text(), re.MULTILINE)
    )

    assert documented == read


def test_every_code_is_documented():
    text = (DOCS / "errors.md").read_text()
    expected = (codes(Fault) | codes(ProviderFault) | set(HINTS)) - {"fault", "provider_fault"}

    assert {code for code in expected if f"`{code}`" not in text} == set()


def test_every_command_and_target_is_documented():
    text = "".join(
        path.read_text()
        for path in [
            ROOT / "README.md",
            ROOT / "CONTRIBUTING.md",
            ROOT / "CHANGELOG.md",
            *DOCS.glob("*.md"),
        ]
    )
    commands = {path.stem for path in ROOT.glob("*/management/commands/*.py")} - {"__init__", "up"}
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))

    assert {name for name in commands if name not in text} == set()
    assert {name for name in targets - {"help", "doctor"} if f"make {name}" not in text} == set()


def test_every_page_has_its_place_on_the_site():
    def pages(entry: object) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        assert isinstance(entry, dict | list)
        parts = entry.values() if isinstance(entry, dict) else entry
        return [page for part in parts for page in pages(part)]

    nav = pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])

    assert sorted(nav) == sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
