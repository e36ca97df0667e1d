"""remember, recall and forget, over HTTP."""

import pytest

from api.v1.tools.notes import NOTHING
from knowledge.models import Entry
from knowledge.notes.archives import write_archive
from tests.factories import make_session

URL = "/api/v1/tools"


def use(client, tool: str, session=None, **arguments):
    call = {"session": str(session.pk)} if session else {}
    return client.post(f"{URL}/{tool}", {"arguments": arguments, **call}, format="json")


@pytest.mark.requirement("CT-45")
def test_what_is_remembered_is_recalled_until_it_is_forgotten(api):
    told = use(api, "remember", name="cat", content="The cat is Minka.", aliases=["pet"])

    assert told.json() == {"name": "cat", "aliases": ["pet"], "outcome": "added"}
    assert use(api, "recall", query="Minka?").json() == {"content": "## cat\nThe cat is Minka."}
    assert use(api, "forget", name="pet").json() == {"name": "cat", "outcome": "forgotten"}
    assert use(api, "recall", query="Minka").json() == {"content": NOTHING}
    assert use(api, "forget", name="cat").status_code == 404


@pytest.mark.requirement("CT-45")
def test_remember_again_replaces_the_content_and_keeps_the_rest(api):
    use(api, "remember", name="cat", content="Minka", aliases=["pet"])
    before = Entry.objects.get()

    again = use(api, "remember", name="pet", content="Minka")
    other = use(api, "remember", name="pet", content="Tom", aliases=None)

    after = Entry.objects.get()
    assert again.json()["outcome"] == "unchanged"
    assert other.json() == {"name": "cat", "aliases": ["pet"], "outcome": "rewritten"}
    assert (after.content, after.created_at) == ("Tom", before.created_at)


@pytest.mark.requirement("CT-45")
def test_recall_returns_five_unless_told(api):
    for number in range(7):
        use(api, "remember", name=f"n{number}", content="trout")

    assert use(api, "recall", query="trout").json()["content"].count("## ") == 5
    assert use(api, "recall", query="trout", limit=7).json()["content"].count("## ") == 7


@pytest.mark.requirement("CT-01")
def test_all_conversations_of_a_person_share_one_memory(api, porter):
    first, second, other = (make_session(porter, user) for user in ("alice", "alice", "bob"))
    use(api, "remember", session=first, name="cat", content="Minka")

    assert use(api, "recall", session=second, query="cat").json()["content"] == "## cat\nMinka"
    assert use(api, "recall", session=other, query="cat").json()["content"] == NOTHING
    assert use(api, "recall", query="cat").json()["content"] == NOTHING


@pytest.mark.requirement("CT-02")
@pytest.mark.requirement("CT-44")
def test_an_archive_is_recalled_and_neither_rewritten_nor_forgotten(api, porter):
    session = make_session(porter)
    write_archive(owner=session.owner, session_name="trip", content="They ate trout.")

    found = use(api, "recall", session=session, query="trout").json()["content"]
    refused = [
        use(api, "remember", session=session, name="trip-1", content="x"),
        use(api, "forget", session=session, name="trip-1"),
    ]

    assert found == "## trip-1\nThey ate trout."
    assert {answer.json()["code"] for answer in refused} == {"archive_read_only"}


def test_an_alias_of_another_note_keeps_all_of_it_out(api):
    use(api, "remember", name="cat", content="Minka", aliases=["pet"])

    answer = use(api, "remember", name="dog", content="Rex", aliases=["pet"])

    assert (answer.status_code, answer.json()["code"]) == (409, "already_exists")
    assert Entry.objects.count() == 1
