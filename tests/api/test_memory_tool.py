"""Anthropic's memory tool over HTTP: the texts are those of the SDK's reference backend."""

import pytest

from knowledge.models import Entry, LearnedInfo, Scaffold, UserNarrative
from knowledge.notes.archives import write_archive
from tests.factories import make_session

URL = "/api/v1/tools"
HEAD = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items:"


@pytest.fixture
def session(porter):
    return make_session(porter)


@pytest.fixture
def use(api, session):
    def call(command: str, **arguments) -> tuple[str, bool]:
        body = {"arguments": {"command": command, **arguments}, "session": str(session.pk)}
        answer = api.post(f"{URL}/memory", body, format="json")
        assert answer.status_code == 200, answer.json()
        return answer.json()["content"], answer.json()["is_error"]

    return call


def create(use, path: str, text: str = "one\ntwo\n"):
    assert use("create", path=path, file_text=text) == (
        f"File created successfully at: {path}",
        False,
    )


def test_a_file_is_a_note_of_its_name(use, api, session):
    create(use, "/memories/cat.md", "Minka eats trout.")

    assert use("view", path="/memories/cat.md") == (
        "Here's the content of /memories/cat.md with line numbers:\n     1\tMinka eats trout.",
        False,
    )
    body = {"arguments": {"query": "Minka"}, "session": str(session.pk)}
    found = api.post(f"{URL}/recall", body, format="json").json()
    assert found == {"content": "## cat.md\nMinka eats trout."}


def test_folders_are_what_paths_make_of_them(use):
    create(use, "/memories/trips/rome/plan.md", "x" * 1536)
    create(use, "/memories/a.md")

    assert use("view", path="/memories")[0].split("\n") == [
        HEAD.format("/memories"),
        "1.5K\t/memories",
        "8B\t/memories/a.md",
        "1.5K\t/memories/trips/",
        "1.5K\t/memories/trips/rome/",
    ]
    assert use("view", path="/memories/trips/rome")[0].split("\n") == [
        HEAD.format("/memories/trips/rome"),
        "1.5K\t/memories/trips/rome",
        "1.5K\t/memories/trips/rome/plan.md",
    ]
    assert Entry.objects.filter(name="trips\u2215rome\u2215plan.md").exists()


def test_a_memory_with_nothing_in_it_is_an_empty_folder(use):
    assert use("view", path="/memories") == (f"{HEAD.format('/memories')}\n0B\t/memories", False)


def test_a_file_is_edited(use):
    create(use, "/memories/a.md")

    use("str_replace", path="/memories/a.md", old_str="two", new_str="2")
    use("insert", path="/memories/a.md", insert_line=0, insert_text="zero")

    assert Entry.objects.get().content == "zero\none\n2\n"
    assert use("view", path="/memories/a.md", view_range=[2, 3])[0].split("\n")[1:] == [
        "     2\tone",
        "     3\t2",
    ]


def test_a_renamed_file_is_found_by_both_paths(use):
    create(use, "/memories/a.md")

    told = use("rename", old_path="/memories/a.md", new_path="/memories/old/b.md")

    assert told == ("Successfully renamed /memories/a.md to /memories/old/b.md", False)
    assert not use("view", path="/memories/a.md")[1]
    assert use("view", path="/memories")[0].endswith("8B\t/memories/old/b.md")
    assert not use("rename", old_path="/memories/old/b.md", new_path="/memories/a.md")[1]
    assert Entry.objects.get().name == "a.md"


def test_a_folder_is_moved_and_deleted_with_all_it_holds(use):
    create(use, "/memories/x/one.md")
    create(use, "/memories/x/y/two.md")
    create(use, "/memories/xx.md")

    use("rename", old_path="/memories/x", new_path="/memories/z")
    names = set(Entry.objects.values_list("name", flat=True))
    told = use("delete", path="/memories/z")

    assert names == {"z\u2215one.md", "z\u2215y\u2215two.md", "xx.md"}
    assert told == ("Successfully deleted /memories/z", False)
    assert Entry.objects.get().name == "xx.md"


@pytest.mark.parametrize(
    ("command", "arguments", "why"),
    [
        ("view", {"path": "/memories/no"}, "The path /memories/no does not exist. Please provide a valid path."),
        ("view", {"path": "/memories/archives"}, "The path /memories/archives does not exist. Please provide a valid path."),
        ("view", {"path": "/memories/profile.md"}, "The path /memories/profile.md does not exist. Please provide a valid path."),
        ("view", {"path": "/tmp"}, "Path must start with /memories, got: /tmp"),
        ("view", {"path": "/memories/../x"}, "Path /memories/../x would escape /memories directory"),
        ("create", {"path": "/memories/d/a.md", "file_text": ""}, "File /memories/d/a.md already exists"),
        ("create", {"path": "/memories/d", "file_text": ""}, "File /memories/d already exists"),
        ("create", {"path": "/memories", "file_text": ""}, "File /memories already exists"),
        ("str_replace", {"path": "/memories/no", "old_str": "a", "new_str": ""}, "The path /memories/no does not exist. Please provide a valid path."),
        ("str_replace", {"path": "/memories/d", "old_str": "a", "new_str": ""}, "The path /memories/d is not a file."),
        ("str_replace", {"path": "/memories/d/a.md", "old_str": "z", "new_str": ""}, "No replacement was performed, old_str `z` did not appear verbatim in /memories/d/a.md."),
        ("insert", {"path": "/memories/no", "insert_line": 0, "insert_text": ""}, "The path /memories/no does not exist. Please provide a valid path."),
        ("insert", {"path": "/memories", "insert_line": 0, "insert_text": ""}, "The path /memories is not a file."),
        ("insert", {"path": "/memories/d/a.md", "insert_line": 9, "insert_text": ""}, "Invalid `insert_line` parameter: 9. It should be within the range [0, 2]."),
        ("delete", {"path": "/memories"}, "Cannot delete the /memories directory itself"),
        ("delete", {"path": "/memories/no"}, "The path /memories/no does not exist"),
        ("rename", {"old_path": "/memories", "new_path": "/memories/x"}, "Cannot rename the /memories directory itself"),
        ("rename", {"old_path": "/memories/no", "new_path": "/memories/x"}, "The path /memories/no does not exist"),
        ("rename", {"old_path": "/memories/d", "new_path": "/memories/b"}, "The destination /memories/b already exists"),
        ("rename", {"old_path": "/memories/b", "new_path": "/memories/d"}, "The destination /memories/d already exists"),
        ("rename", {"old_path": "/memories/b", "new_path": "/memories/b"}, "The destination /memories/b already exists"),
        ("rename", {"old_path": "/memories/b", "new_path": "/memories"}, "The destination /memories already exists"),
        ("create", {"path": "/memories/profile.md", "file_text": ""}, "The path /memories/profile.md is read-only."),
        ("delete", {"path": "/memories/archives"}, "The path /memories/archives is read-only."),
        ("rename", {"old_path": "/memories/b", "new_path": "/memories/archives/b"}, "The path /memories/archives/b is read-only."),
    ],
)  # fmt: skip
def test_a_refusal_is_told_in_the_reference_s_words(use, command, arguments, why):
    create(use, "/memories/d/a.md")
    create(use, "/memories/b")
    before = list(Entry.objects.order_by("pk").values())

    assert use(command, **arguments) == (why, True)

    assert list(Entry.objects.order_by("pk").values()) == before


@pytest.mark.parametrize("path", ["/memories/.hidden", "/memories/a/.b", "/memories/a\\b"])
def test_a_path_that_makes_no_name_is_refused(use, path):
    told, is_error = use("create", path=path, file_text="")

    assert (is_error, told.startswith("the name ")) == (True, True)


def test_profile_and_archives_are_read(use, session):
    owner = session.owner
    write_archive(owner=owner, session_name="trip", content="They went.")
    UserNarrative.objects.create(owner=owner, text="Alice bakes.")
    Scaffold.objects.create(owner=owner, data={"Pet": "Minka"})
    LearnedInfo.objects.create(owner=owner, items=["Wakes at five."])

    shown = use("view", path="/memories")[0].split("\n")[2:]
    profile = use("view", path="/memories/profile.md")[0]

    assert [line.split("\t")[1] for line in shown] == [
        "/memories/archives/",
        "/memories/archives/trip-1",
        "/memories/profile.md",
    ]
    assert use("view", path="/memories/archives/trip-1")[0].endswith("     1\tThey went.")
    assert use("view", path="/memories/trip-1")[1]
    assert all(text in profile for text in ("Alice bakes.", '"Pet": "Minka"', "- Wakes at five."))


def test_a_note_of_a_read_only_file_s_name_is_not_in_its_way(use, api, session):
    body = {"arguments": {"name": "profile.md", "content": "mine"}, "session": str(session.pk)}
    api.post(f"{URL}/remember", body, format="json")

    assert "profile.md" not in use("view", path="/memories")[0]
    assert use("view", path="/memories/profile.md")[1]


def test_a_repeated_insert_happens_once(api):
    body = {"command": "create", "path": "/memories/a", "file_text": "x\n"}
    api.post(f"{URL}/memory", {"arguments": body}, format="json")
    more = {"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": "y"}

    answers = [
        api.post(
            f"{URL}/memory", {"arguments": more}, format="json", HTTP_IDEMPOTENCY_KEY="a"
        ).json()
        for _ in range(2)
    ]

    assert [one["is_error"] for one in answers] == [False, False]
    assert Entry.objects.get().content == "y\nx\n"


def test_a_command_without_what_it_needs_is_refused(api):
    for arguments, missing in (
        ({"command": "create", "path": "/memories/a"}, "file_text"),
        ({"command": "rename", "path": "/memories/a"}, "old_path"),
        ({"command": "view"}, "path"),
        ({"command": "eat"}, "command"),
    ):
        answer = api.post(f"{URL}/memory", {"arguments": arguments}, format="json")
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
        assert missing in answer.json()["detail"]["fields"]


def test_an_agent_that_never_wrote_has_an_empty_memory(api):
    body = {"arguments": {"command": "view", "path": "/memories"}}

    assert (
        api.post(f"{URL}/memory", body, format="json").json()["content"].endswith("0B\t/memories")
    )
