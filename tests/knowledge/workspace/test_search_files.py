import pytest

from accounts.owners import resolve_owner
from knowledge.workspace.files import list_files, write_file
from knowledge.workspace.folder import folder_of
from knowledge.workspace.search import search_files


@pytest.mark.requirement("OL-26")
def test_every_markdown_file_is_searched_with_its_best_line(owner):
    write_file(owner=owner, name="SOUL.md", text="I like trout.\n- cats: Whiskerino eats trout\n")
    deep = folder_of(owner) / "memory" / "deep" / "er"
    deep.mkdir(parents=True)
    (deep / "notes.md").write_text("Whiskerino " * 100)
    (deep / "notes.txt").write_text("Whiskerino")

    hits = search_files(owner=owner, query="What does Whiskerino eat? trout", limit=5)

    assert {hit.file for hit in hits} == {"SOUL.md", "memory/deep/er/notes.md"}
    assert all(hit.score > 0 and len(hit.snippet) <= 300 for hit in hits)
    soul = next(hit for hit in hits if hit.file == "SOUL.md")
    assert soul.snippet == "- cats: Whiskerino eats trout"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len(search_files(owner=owner, query="whiskerino", limit=1)) == 1


@pytest.mark.requirement("OL-26")
def test_what_holds_no_word_is_not_found(owner):
    list_files(owner)

    assert search_files(owner=owner, query="zebra", limit=5) == []
    assert search_files(owner=owner, query="the of", limit=5) == []


def test_nobody_finds_what_is_another_users(owner, porter):
    write_file(owner=owner, name="USER.md", text="Whiskerino")

    bob = resolve_owner(agent=porter, user="bob")
    assert search_files(owner=bob, query="whiskerino", limit=5) == []
    assert not folder_of(bob).exists()


def test_no_more_than_the_beginning_of_a_file_is_read(owner):
    list_files(owner)
    (folder_of(owner) / "long.md").write_text("x" * 200_001 + " zebra")

    assert search_files(owner=owner, query="zebra", limit=5) == []
