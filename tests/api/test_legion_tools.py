"""memory_search, memory_save and memory_recall."""

import pytest

from api.v1.tools.legion import split
from consolidation.intake.accept import end_session
from knowledge.models import SavedFact
from knowledge.workspace.files import list_files, read_file, write_file
from knowledge.workspace.folder import folder_of
from tests.factories import make_session, run_jobs

URL = "/api/v1/tools"


@pytest.fixture(autouse=True)
def root(settings, tmp_path):
    settings.WORKSPACE = str(tmp_path)


def use(api, tool, session=None, **arguments):
    call = {"arguments": arguments} | ({"session": str(session.pk)} if session else {})
    answer = api.post(f"{URL}/{tool}", call, format="json")
    assert answer.status_code == 200, answer.json()
    return answer.json()


@pytest.mark.requirement("OL-41")
@pytest.mark.requirement("OL-50")
def test_saving_writes_the_daily_log_and_a_fact(api, porter):
    session = make_session(porter)

    saved = use(api, "memory_save", session, content="Cat's name: Whiskerino")

    fact = SavedFact.objects.get()
    assert (fact.key, fact.value) == ("Cat's name", "Whiskerino")
    assert (fact.source, fact.confidence, fact.source_session) == ("tool", 0.9, session.pk)
    assert read_file(owner=session.owner, name=saved["file"]).endswith("] Cat's name: Whiskerino\n")


@pytest.mark.requirement("OL-42")
@pytest.mark.parametrize(
    ("content", "key", "value"),
    [
        ("cat: Whiskerino", "cat", "Whiskerino"),
        ("cat - Whiskerino", "cat - Whiskerino", "cat - Whiskerino"),
        ("The standup is at 9:30", "The standup is at 9:30", "The standup is at 9:30"),
        ("Docs live at https://example.org", *["Docs live at https://example.org"] * 2),
        ("k" * 80 + ": v", "k" * 80, "v"),
        ("short text", "short text", "short text"),
        ("well-known", "well-known", "well-known"),
        (": only a value", ": only a value", ": only a value"),
        ("nothing after:", "nothing after:", "nothing after:"),
    ],
)
def test_a_text_with_a_name_is_split_at_it(content, key, value):
    assert split(content) == (key, value)


@pytest.mark.requirement("OL-42")
def test_any_other_text_has_its_first_words_as_its_key():
    text = "The quick brown fox jumps over the lazy dog and then over the fence again"
    long = "x" * 81 + ": v"

    assert split(text) == ("The quick brown fox jumps over the lazy dog and then over", text)
    assert split(long) == ("x" * 60, long)


@pytest.mark.requirement("OL-43")
def test_a_search_asks_files_and_facts_and_says_which(api, porter):
    session = make_session(porter)
    use(api, "memory_save", session, content="cat: Whiskerino")
    write_file(owner=session.owner, name="USER.md", text="Whiskerino is her cat.")

    found = use(api, "memory_search", session, query="Whiskerino")

    assert [hit["source"] for hit in found["results"]] == ["workspace", "workspace", "memory_db"]
    assert found["count"] == 3
    assert {hit["file"] for hit in found["results"][:2]} >= {"USER.md"}
    fact = found["results"][2]
    assert (fact["key"], fact["value"], fact["confidence"]) == ("cat", "Whiskerino", 0.9)


@pytest.mark.requirement("OL-38")
@pytest.mark.requirement("OL-45")
def test_five_results_unless_told_and_neither_side_crowds_the_other_out(api, porter):
    session = make_session(porter)
    list_files(session.owner)
    for number in range(8):
        (folder_of(session.owner) / f"notes{number}.md").write_text("trout")
        use(api, "memory_save", session, content=f"fish {number}: trout {'x' * number}")
    SavedFact.objects.update(access_count=0)

    found = use(api, "memory_search", session, query="trout")
    sources = [hit["source"] for hit in found["results"]]

    assert sources == ["workspace"] * 3 + ["memory_db"] * 2
    assert SavedFact.objects.filter(access_count=1).count() == 2
    assert use(api, "memory_search", session, query="trout", max_results=2)["count"] == 2
    assert use(api, "memory_recall", session, query="trout")["count"] == 5
    assert use(api, "memory_recall", session, query="trout", max_results=7)["count"] == 7


@pytest.mark.requirement("OL-44")
def test_a_recall_keeps_to_a_category_whatever_its_case(api, porter):
    session = make_session(porter)
    use(api, "memory_save", session, content="fish: trout")
    use(api, "memory_save", session, content="dinner: trout")
    SavedFact.objects.filter(key="fish").update(category="Animals")

    found = use(api, "memory_recall", session, query="trout", category="animals")

    assert [hit["key"] for hit in found["results"]] == ["fish"]
    assert use(api, "memory_recall", session, query="trout", category="cars")["count"] == 0


@pytest.mark.requirement("OL-46")
def test_the_cats_name_is_recalled_in_a_new_session(api, porter):
    first = make_session(porter)
    use(api, "memory_save", first, content="My cat's name is Whiskerino")
    end_session(session=first, reason="explicit")
    run_jobs()

    second = make_session(porter)
    for tool in ("memory_recall", "memory_search"):
        found = use(api, tool, second, query="What is my cat's name?")
        assert "Whiskerino" in str(found)
    bob = make_session(porter, user="bob")
    assert use(api, "memory_recall", bob, query="What is my cat's name?")["count"] == 0


def test_a_workspace_that_cannot_be_read_leaves_the_facts(api, porter, settings, tmp_path):
    session = make_session(porter)
    use(api, "memory_save", session, content="cat: Whiskerino")
    list_files(session.owner)
    soul = folder_of(session.owner) / "SOUL.md"
    soul.unlink()
    (folder_of(session.owner) / "bad.md").mkdir()
    soul.write_text("x")
    soul.chmod(0)

    found = use(api, "memory_search", session, query="cat")

    assert "memory_db" in {hit["source"] for hit in found["results"]}
    (tmp_path / "file").write_text("")
    settings.WORKSPACE = str(tmp_path / "file")
    call = {"arguments": {"content": "x: y"}, "session": str(session.pk)}
    answer = api.post(f"{URL}/memory_save", call, format="json")
    assert (answer.status_code, answer.json()["code"]) == (503, "workspace_unavailable")
    assert not SavedFact.objects.filter(key="x").exists()


def test_outside_of_a_session_it_is_the_agents_own(api, porter):
    use(api, "memory_save", content="shop: opens at nine")

    assert use(api, "memory_recall", query="shop")["count"] == 1
    assert use(api, "memory_recall", make_session(porter), query="shop")["count"] == 0


def test_outside_of_a_session_a_user_may_be_named(api, porter):
    call = {"arguments": {"content": "Cat's name: Whiskerino"}, "user": "alice"}

    api.post(f"{URL}/memory_save", call, format="json")

    assert SavedFact.objects.get().owner.key == "alice"


@pytest.mark.parametrize("content", [":", " - ", " : - "])
def test_a_fact_that_says_nothing_is_refused(api, porter, content):
    call = {"arguments": {"content": content}, "user": "alice"}

    assert api.post(f"{URL}/memory_save", call, format="json").status_code == 422
    assert not SavedFact.objects.exists()
