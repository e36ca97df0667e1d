import pytest

from accounts.owners import agent_owner
from knowledge.workspace.files import list_files, write_file
from knowledge.workspace.folder import folder_of
from knowledge.workspace.injection import capped, heartbeat_rules, load_shown
from knowledge.workspace.names import File


@pytest.mark.requirement("OL-25")
def test_each_file_is_cut_at_its_cap_with_a_note(owner):
    list_files(owner)
    for name in ("AGENTS.md", "SOUL.md", "USER.md", "MEMORY.md"):
        (folder_of(owner) / name).write_text("the end " * 10_000 + "is here")

    shown = load_shown(owner)

    texts = (shown.identity.agents, shown.identity.soul, shown.identity.user, shown.memory)
    for text, cap in zip(texts, (8_000, 4_000, 4_000, 16_000), strict=True):
        assert cap - 20 < len(text) <= cap
        assert "more characters are not shown" in text
        assert "memory_search" in text
    assert sum(map(len, texts)) <= 40_000
    assert shown.memory.endswith("is here")
    assert shown.identity.soul.startswith("the end")


@pytest.mark.requirement("OL-25")
def test_what_fits_is_shown_whole(owner):
    assert capped(File.SOUL, "x" * 4_000, 4_000) == "x" * 4_000
    note = capped(File.SOUL, "x" * 5_000, 4_000)
    assert str(5_000 - note.count("x")) in note


def test_what_nobody_wrote_is_the_agents_own_or_nothing(owner):
    list_files(owner)
    assert load_shown(owner).identity.soul == ""

    write_file(owner=agent_owner(owner.agent), name="SOUL.md", text="You are kind.")
    assert load_shown(owner).identity.soul == "You are kind."
    write_file(owner=owner, name="SOUL.md", text="You are very kind to alice.")
    assert load_shown(owner).identity.soul == "You are very kind to alice."


def test_the_memory_is_the_owners_alone(owner):
    own = agent_owner(owner.agent)
    list_files(own)
    (folder_of(own) / "MEMORY.md").write_text("- a secret")

    assert load_shown(owner).memory == ""


@pytest.mark.requirement("OL-21")
def test_the_rules_of_a_heartbeat_are_read_anew_each_time(owner):
    assert heartbeat_rules(owner) == ""
    write_file(owner=owner, name="HEARTBEAT.md", text="Look at the inbox.")
    assert heartbeat_rules(owner) == "Look at the inbox."
    write_file(owner=owner, name="HEARTBEAT.md", text="Look at the oven.")
    assert heartbeat_rules(owner) == "Look at the oven."


def test_files_that_cannot_be_read_leave_the_prompt_without_them(owner):
    for name in ("SOUL.md", "HEARTBEAT.md"):
        (folder_of(owner) / name).mkdir(parents=True)

    assert load_shown(owner).identity.soul == ""
    assert heartbeat_rules(owner) == ""
