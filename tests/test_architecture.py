"""What the import contracts cannot see."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def modules() -> list[Path]:
    skipped = {".venv", "var", ".git"}
    return [path for path in ROOT.rglob("*.py") if not skipped & set(path.parts)]


def test_the_contracts_name_every_package():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}

    assert packages - {"tests", "bench"} == set(config["tool"]["importlinter"]["root_packages"])


def test_no_module_is_too_long():
    sizes = {
        str(path): len(path.read_text().splitlines())
        for path in modules()
        if "migrations" not in path.parts
    }

    assert {name: size for name, size in sizes.items() if size > 400} == {}


def test_models_are_imported_and_not_looked_up():
    found = [
        path for path in modules() if "migrations" not in path.parts and "tests" not in path.parts
    ]

    assert [str(path) for path in found if "get_model(" in path.read_text()] == []


def test_no_template_and_no_code_marks_text_as_safe():
    templates = [path.read_text() for path in (ROOT / "templates").rglob("*.html")]
    code = [path.read_text() for path in modules() if "tests" not in path.parts]

    assert not any("|safe" in text or "autoescape off" in text for text in templates)
    assert not any("mark_safe" in text for text in code)


# The MemoryProcessor, and what changes a picture because a person said so, or because it is put
# back: an import, a correction, a forgetting, a revert. Nothing else may write W, S or learned info.
WRITERS = {
    "consolidation/profile/tidying/job.py",
    "consolidation/profile/write.py",
    "knowledge/changes/reverting.py",
    "knowledge/imports/profile.py",
    "knowledge/profile/edit.py",
    "knowledge/profile/items.py",
    "knowledge/profile/outdated.py",
}


@pytest.mark.requirement("TS-07")
def test_a_picture_has_no_other_writer_than_those_named():
    code = {str(path.relative_to(ROOT)): path.read_text() for path in modules()}
    writers = {name for name, text in code.items() if "save_profile(" in text}

    assert {name for name in writers if not name.startswith(("tests/", "bench/"))} == WRITERS
