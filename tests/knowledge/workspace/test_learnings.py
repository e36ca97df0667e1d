from datetime import UTC, datetime, timedelta, timezone

import pytest

from accounts.owners import resolve_owner
from knowledge.workspace.files import read_file
from knowledge.workspace.folder import folder_of
from knowledge.workspace.learnings import Learnings, append_correction, append_error, last_learnings

AT = datetime(2026, 5, 8, 9, 30, tzinfo=UTC)


@pytest.fixture
def owner(porter, settings, tmp_path):
    settings.WORKSPACE = str(tmp_path)
    return resolve_owner(agent=porter, user="alice")


def error(owner, text="no such city", at=AT, context=""):
    append_error(owner=owner, at=at, tool="weather", error=text, context=context)


def test_an_error_is_a_line_with_its_context(owner):
    zone = timezone(timedelta(hours=2))
    error(owner, "no\nsuch\ncity " + "x" * 600, AT.astimezone(zone), context='{"city": "Grz"}')

    head, first, second = read_file(owner=owner, name="learnings/errors.md").splitlines()
    assert head == "# Errors"
    assert first.startswith("- [2026-05-08 09:30:00 UTC] **weather**: no such city xxx")
    assert len(first) < 560
    assert second == '  Context: {"city": "Grz"}'


@pytest.mark.requirement("OL-15")
def test_a_correction_holds_what_was_said_and_what_was_said_against_it(owner):
    append_correction(owner=owner, at=AT, original="a" * 300, correction="b" * 600)

    _, first, second = read_file(owner=owner, name="learnings/corrections.md").splitlines()
    assert first == f"- [2026-05-08 09:30:00 UTC] Original: {'a' * 200}"
    assert second == f"  Correction: {'b' * 500}"


def test_the_same_one_twice_stands_once(owner):
    error(owner)
    error(owner)

    assert read_file(owner=owner, name="learnings/errors.md").count("no such city") == 1


@pytest.mark.requirement("OL-18")
def test_a_file_over_fifty_thousand_bytes_loses_its_older_half(owner):
    error(owner, "the first")
    path = folder_of(owner) / "learnings" / "errors.md"
    lines = [f"- line {number} " + "\u00e9" * 24 for number in range(800)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert path.stat().st_size < 50_000
    while "line 0 " in path.read_text(encoding="utf-8"):
        error(owner, f"e{path.stat().st_size} " + "x" * 490)

    kept = path.read_text(encoding="utf-8").splitlines()
    assert 25_000 - 1_000 < path.stat().st_size < 30_000
    assert kept[-1].startswith("- [2026-05-08")
    assert kept[0] in lines[400:420]


def test_a_file_under_it_keeps_every_line(owner):
    for number in range(50):
        error(owner, f"error {number}")

    assert len(read_file(owner=owner, name="learnings/errors.md").splitlines()) == 51


@pytest.mark.requirement("OL-17")
def test_the_last_twenty_lines_of_each_are_told(owner):
    for number in range(30):
        error(owner, f"error {number}")

    found = last_learnings(owner)
    assert [line.rpartition(" ")[2] for line in found.errors.splitlines()] == [
        str(number) for number in range(10, 30)
    ]
    assert found.corrections == ""


def test_what_cannot_be_read_is_nothing(owner):
    (folder_of(owner) / "learnings" / "errors.md").mkdir(parents=True)

    assert last_learnings(owner) == Learnings()
