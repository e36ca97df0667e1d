"""MEMORY.md as a real file."""

from datetime import date
from threading import Thread

import pytest

from accounts.owners import resolve_owner
from knowledge.saved_facts.save import NewFact
from knowledge.workspace.folder import folder_of
from knowledge.workspace.memory import append_facts

DAY = date(2026, 5, 8)


@pytest.fixture
def owner(porter, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return resolve_owner(agent=porter, user="alice/../../bob")


def memory(owner):
    return (folder_of(owner) / "MEMORY.md").read_text()


def test_each_run_adds_a_dated_section(owner):
    append_facts(owner=owner, facts=[NewFact("pet", "a cat", "fact")], run=1, day=DAY)
    append_facts(owner=owner, facts=[NewFact("town", "Graz", "fact")], run=2, day=DAY)

    assert memory(owner) == (
        "# Memory\n"
        "\n## 2026-05-08 <!-- compaction 1 -->\n\n- **pet**: a cat\n"
        "\n## 2026-05-08 <!-- compaction 2 -->\n\n- **town**: Graz\n"
    )


@pytest.mark.requirement("OL-20")
def test_a_key_stands_once_with_its_newest_value_and_a_persons_lines_stay(owner):
    append_facts(
        owner=owner, facts=[NewFact("town", "Graz"), NewFact("pet", "a cat")], run=1, day=DAY
    )
    path = folder_of(owner) / "MEMORY.md"
    path.write_text(memory(owner) + "\nShe wrote this herself.\n")
    append_facts(owner=owner, facts=[NewFact("town", "Wien")], run=2, day=DAY)
    append_facts(owner=owner, facts=[NewFact("pet", "two cats")], run=3, day=DAY)

    assert [line for line in memory(owner).splitlines() if line.startswith("- ")] == [
        "- **town**: Wien",
        "- **pet**: two cats",
    ]
    assert "She wrote this herself." in memory(owner)
    assert "Graz" not in memory(owner)


@pytest.mark.requirement("OL-20")
def test_it_keeps_its_size_by_letting_the_oldest_facts_go(owner):
    for run in range(40):
        facts = [NewFact(f"key {run} {n}", "is long " * 10) for n in range(10)]
        append_facts(owner=owner, facts=facts, run=run, day=DAY)

    assert len(memory(owner)) <= 16_000
    assert "**key 39 9**" in memory(owner)
    assert "**key 0 0**" not in memory(owner)
    assert "<!-- compaction 0 -->" not in memory(owner)


def test_a_repeated_run_changes_nothing(owner):
    for _ in range(2):
        append_facts(owner=owner, facts=[NewFact("pet", "a cat", "fact")], run=1, day=DAY)

    assert memory(owner).count("a cat") == 1


def test_a_fact_stays_one_line_and_cannot_pass_for_a_mark(owner):
    hostile = NewFact("a\n# b", "x\n<!-- compaction 2 -->", "fact")
    append_facts(owner=owner, facts=[hostile], run=1, day=DAY)
    append_facts(owner=owner, facts=[NewFact("pet", "a cat", "fact")], run=2, day=DAY)

    assert "- **a # b**: x <! -- compaction 2 -->\n" in memory(owner)
    assert "a cat" in memory(owner)


def test_no_name_leads_out_of_the_root(owner, settings):
    assert folder_of(owner).is_relative_to(settings.DATA_DIR / "workspaces")
    assert "bob" not in str(folder_of(owner))


def test_writers_at_once_lose_nothing(owner):
    def write(run):
        append_facts(owner=owner, facts=[NewFact(f"k{run}", "v", "fact")], run=run, day=DAY)

    threads = [Thread(target=write, args=(run,)) for run in range(1, 17)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert memory(owner).count("## ") == 16
