"""Exports of ChatGPT, Claude and mem0 become sessions, once."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from accounts.setup import first_run
from consolidation.intake.exports.formats import FORMATS, as_rows
from consolidation.intake.transcripts import read_transcripts
from memory.messages import Malformed
from memory.models import Event, Session


def node(name: str, parent: str | None, role: str, *parts: object, **more: object) -> dict:
    message = {
        "author": {"role": role},
        "create_time": 1_700_000_000.5,
        "content": {"content_type": "text", "parts": list(parts)},
        "metadata": {},
    } | more
    return {name: {"id": name, "parent": parent, "children": [], "message": message}}


CHATGPT = [
    {
        "title": "Tomatoes",
        "conversation_id": "c-1",
        "create_time": 1_700_000_000.0,
        "current_node": "e",
        "mapping": {
            "root": {"id": "root", "parent": None, "children": ["a"], "message": None},
            **node("a", "root", "system", "You are helpful."),
            **node("b", "a", "user", "We planted Black Krim."),
            **node("c", "b", "assistant", "An answer that was regenerated."),
            **node("d", "b", "tool", "{}"),
            **node("e", "d", "assistant", "A good choice.", {"asset": 1}, create_time=None),
        },
    }
]
CLAUDE = [
    {
        "uuid": "k-1",
        "name": "Trout",
        "created_at": "2025-03-01T09:00:00Z",
        "account": {"uuid": "me"},
        "chat_messages": [
            {
                "sender": "human",
                "text": "My cat eats trout.",
                "content": [],
                "created_at": "2025-03-01T09:00:01Z",
            },
            {
                "sender": "assistant",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "Hm."},
                    {"type": "text", "text": "Lucky cat."},
                ],
            },
        ],
    }
]
MEM0 = {
    "results": [
        {"id": "2", "memory": "Lives in Lyon", "user_id": "a", "created_at": "2025-05-01T00:00:00"},
        {"id": "1", "memory": "Likes trout", "user_id": "a", "created_at": "2024-05-01T00:00:00Z"},
    ]
}
EXPORTS = {"chatgpt": CHATGPT, "claude": CLAUDE, "mem0": MEM0}


def read(document: object) -> list[dict]:
    found = as_rows(document)
    assert isinstance(found, list)
    return found


def rows(document: object) -> list[tuple]:
    return [(each["session"], each["role"], each["content"]) for each in read(document)]


def test_of_a_chatgpt_tree_the_branch_that_was_kept_is_read() -> None:
    assert rows(CHATGPT) == [
        ("c-1", "user", "We planted Black Krim."),
        ("c-1", "assistant", "A good choice."),
    ]


def test_a_message_without_a_time_has_that_of_the_one_before_it() -> None:
    assert {each["occurred_at"] for each in read(CHATGPT)} == {"2023-11-14T22:13:20.500000+00:00"}


def test_of_a_claude_export_what_was_said_is_read_without_thoughts() -> None:
    assert rows(CLAUDE) == [
        ("k-1", "user", "My cat eats trout."),
        ("k-1", "assistant", "Lucky cat."),
    ]


def test_memories_of_mem0_come_in_the_order_in_which_they_were_made() -> None:
    assert rows(MEM0) == [("mem0", "user", "Likes trout"), ("mem0", "user", "Lives in Lyon")]
    assert rows(MEM0["results"]) == rows(MEM0)


def test_what_belongs_to_several_people_is_refused() -> None:
    others = [{**CLAUDE[0], "account": {"uuid": "you"}}, *CLAUDE]
    shared = [*MEM0["results"], {"memory": "Likes rain", "user_id": "b"}]

    for document in (others, shared):
        with pytest.raises(Malformed, match="2 people"):
            as_rows(document)


def test_our_own_format_is_nobody_s_export() -> None:
    own = [{"role": "user", "content": "hello", "memory": "x"}]

    assert as_rows(own) is own


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(value=JSON, name=st.sampled_from(["mapping", "chat_messages", "memory", "results"]))
def test_no_shape_of_a_document_breaks_a_reader(value: object, name: str) -> None:
    for document in (value, [{name: value}], {name: value}, {"results": [{"memory": value}]}):
        rows = as_rows(document)

        assert rows is document or isinstance(rows, list)


def test_a_tree_that_turns_in_circles_ends() -> None:
    circle = [{"mapping": {**node("a", "b", "user", "x"), **node("b", "a", "user", "y")}}]

    assert len(rows(circle)) == 2


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_an_export_is_previewed_then_imported_once(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first_run()
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(EXPORTS[name]))

    call_command("import_conversation", str(path), "--user", "alice", "--dry-run")
    assert "would import 2 messages in 1 sessions" in capsys.readouterr().out
    assert not Session.objects.exists()

    for _ in range(2):
        call_command("import_conversation", str(path), "--user", "alice")

    session = Session.objects.get()
    assert session.external_id == read_transcripts(path)[0].name
    assert Event.objects.filter(session=session).count() == 2


@pytest.mark.django_db
def test_a_refused_export_is_one_sentence(tmp_path: Path) -> None:
    first_run()
    path = tmp_path / "memories.json"
    path.write_text(json.dumps([{"memory": "x", "user_id": 1}, {"memory": "y", "user_id": 2}]))

    with pytest.raises(CommandError, match="memories of 2 people"):
        call_command("import_conversation", str(path), "--user", "alice")
