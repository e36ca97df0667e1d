"""The workspace over HTTP."""

import pytest

from accounts.owners import agent_owner, resolve_owner
from audit.models import AuditEntry
from knowledge.workspace.folder import folder_of
from tests.factories import make_session

URL = "/api/v1/workspace"


@pytest.fixture(autouse=True)
def root(settings, tmp_path):
    settings.WORKSPACE = str(tmp_path / "root")


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def put(api, name, content, query=""):
    return api.put(f"{URL}/{name}{query}", {"content": content}, format="json")


@pytest.mark.requirement("OL-23")
def test_the_files_are_listed(api):
    results = api.get(URL).json()["results"]

    assert [one["name"] for one in results if one["is_writable"]] == [
        "AGENTS.md",
        "HEARTBEAT.md",
        "MEMORY.md",
        "SOUL.md",
        "USER.md",
    ]
    assert len(results) == 7


def test_a_file_is_written_read_and_deleted(api):
    answer = put(api, "SOUL.md", "Be kind.")

    assert answer.json() == {"name": "SOUL.md", "content": "Be kind.", "is_changed": True}
    assert put(api, "SOUL.md", "Be kind.").json()["is_changed"] is False
    assert api.get(f"{URL}/SOUL.md").json()["content"] == "Be kind."
    assert api.delete(f"{URL}/SOUL.md").status_code == 204
    assert "Be kind." not in api.get(f"{URL}/SOUL.md").json()["content"]
    acts = list(AuditEntry.objects.values_list("action", "subject").order_by("pk"))
    assert acts[-2:] == [("workspace.write", "SOUL.md"), ("workspace.delete", "SOUL.md")]


def test_earlier_texts_are_listed_and_read(api):
    for words in ("one", "two", "three"):
        put(api, "SOUL.md", words)

    versions = api.get(f"{URL}/versions/SOUL.md").json()["results"]
    assert [one["number"] for one in versions] == [2, 1]
    assert api.get(f"{URL}/versions/SOUL.md?number=2").json()["content"] == "two"
    assert api.get(f"{URL}/versions/SOUL.md?number=7").status_code == 404
    assert api.get(f"{URL}/versions/SOUL.md?number=x").status_code == 422


def test_a_users_files_are_named_by_the_user_or_a_session(api, porter, alice):
    session = make_session(porter)

    put(api, "USER.md", "She is alice.", "?user=alice")

    assert api.get(f"{URL}/USER.md?session={session.pk}").json()["content"] == "She is alice."
    assert "alice" not in api.get(f"{URL}/USER.md").json()["content"]
    assert api.get(f"{URL}/USER.md?user=nobody").status_code == 404


def test_another_organizations_agent_sees_nothing(rival_api, api, porter, alice):
    session = make_session(porter)
    put(api, "USER.md", "the secret trout", "?user=alice")

    for query in ("", f"?session={session.pk}", "?user=alice"):
        assert "trout" not in str(rival_api.get(f"{URL}/USER.md{query}").json())


@pytest.mark.requirement("OL-26")
def test_the_files_are_searched(api):
    put(api, "SOUL.md", "Be kind.\nLike trout.")

    body = {"query": "trout"}
    (hit,) = api.post(f"{URL}/search", body, format="json").json()["results"]

    assert (hit["file"], hit["snippet"]) == ("SOUL.md", "Like trout.")
    assert hit["score"] > 0


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("learnings/errors.md", "x", "file_not_writable"),
        ("../SOUL.md", "x", "file_not_writable"),
        ("%2e%2e/SOUL.md", "x", "file_not_writable"),
        ("/etc/passwd", "x", "file_not_writable"),
        ("SOUL.md%00", "x", "file_not_writable"),
        ("SOUL.md", "x" * 32_001, "invalid_request"),
    ],
)
def test_what_may_not_be_written_is_a_named_error(api, name, content, code):
    answer = put(api, name, content)

    assert answer.status_code in {403, 404, 422}
    if answer.status_code != 404 and code != "invalid_request":
        assert answer.json()["code"] == code
    assert not answer.status_code < 400


def test_a_disk_that_takes_nothing_is_a_named_error(api, settings, tmp_path):
    (tmp_path / "file").write_text("")
    settings.WORKSPACE = str(tmp_path / "file")

    answer = put(api, "SOUL.md", "x")

    assert (answer.status_code, answer.json()["code"]) == (503, "workspace_unavailable")


@pytest.mark.requirement("OL-21")
def test_a_heartbeat_answers_with_its_rules(api, porter):
    session = make_session(porter)
    put(api, "HEARTBEAT.md", "Look at the oven.")

    answer = api.post(f"/api/v1/sessions/{session.pk}/heartbeat").json()

    assert answer["rules"] == "Look at the oven."
    assert folder_of(agent_owner(porter)).is_dir()
