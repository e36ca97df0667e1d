import json

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Agent
from accounts.setup import first_run
from memory.events import append_events
from memory.messages import Draft
from memory.models import Event, Session
from memory.sessions import open_session
from tests.factories import run_jobs

LINES = [
    {
        "session": "a",
        "role": "user",
        "content": "We planted Black Krim.",
        "occurred_at": "2026-05-08T09:30:00Z",
    },
    {"session": "a", "role": "assistant", "content": "A good choice."},
    {"session": "b", "role": "user", "content": "It rains."},
]


@pytest.fixture
def load(tmp_path, db):
    first_run()

    def run(text: str) -> None:
        path = tmp_path / "talk.jsonl"
        path.write_text(text)
        call_command("import_conversation", str(path), "--user", "alice")

    return run


def test_lines_become_sessions_and_a_second_run_changes_nothing(load, capsys):
    text = "\n".join(json.dumps(line) for line in LINES)

    load(text)
    load(text)

    assert "3 messages in 2 sessions" in capsys.readouterr().out
    assert Session.objects.count() == 2
    assert Event.objects.count() == 3


@pytest.mark.parametrize(
    "wrap", [lambda rows: rows, lambda rows: {"messages": rows}], ids=["list", "object"]
)
def test_openai_style_messages_are_taken(load, wrap):
    load(json.dumps(wrap([{"role": "user", "content": "hello"}])))

    assert Event.objects.get().payload == {"content": "hello"}


@pytest.mark.parametrize(
    "text",
    [
        "{broken",
        "[1]",
        '[{"role": "user", "content": 7}]',
        '[{"role": "user", "content": "x", "occurred_at": "yesterday"}]',
        '[{"role": "user", "content": "x\\u0000"}]',
        '[{"role": "user", "content": "x\\ud800"}]',
        '[{"role": "user", "content": "x", "session": "\\u0000"}]',
        pytest.param('{"role": "user", "content": ' + "[" * 5000 + "]" * 5000 + "}", id="deep"),
        pytest.param(f'{{"role": "user", "content": "x", "session": "{"x" * 255}"}}', id="long"),
    ],
)
def test_a_file_that_is_no_conversation_is_refused_whole(load, text):
    with pytest.raises(CommandError):
        load(text)

    assert not Event.objects.exists()


def test_sessions_that_take_turns_in_a_file_are_kept_whole(load):
    rows = [("a", "one"), ("b", "two"), ("a", "three")]
    load("\n".join(json.dumps({"session": s, "role": "user", "content": c}) for s, c in rows))

    first = Event.objects.filter(session__external_id="talk:a").in_order()

    assert [event.payload["content"] for event in first] == ["one", "three"]
    assert Session.objects.count() == 2


@pytest.mark.parametrize(
    "contents", [["another"], ["hello", "and more"], []], ids=["other", "more", "fewer"]
)
def test_another_file_of_the_same_name_is_refused_and_not_taken_for_the_first(load, contents):
    load(json.dumps([{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]))

    with pytest.raises(CommandError, match="Rename the file"):
        load(json.dumps([{"role": "user", "content": content} for content in ["hello", *contents]]))

    assert Event.objects.count() == 2


def test_an_import_that_was_cut_short_goes_on_where_it_stopped(load, monkeypatch):
    monkeypatch.setattr("consolidation.intake.transcripts.BATCH", 2)
    text = json.dumps([{"role": "user", "content": f"line {n}"} for n in range(5)])
    agent = Agent.objects.get()
    cut = open_session(agent=agent, user="alice", external_id="talk:1").session
    append_events(session=cut, drafts=[Draft("UserMsg", {"content": f"line {n}"}) for n in (0, 1)])

    load(text)

    kept = cut.events.in_order()
    assert [event.payload["content"] for event in kept] == [f"line {n}" for n in range(5)]


def test_a_line_may_hold_what_unicode_calls_the_end_of_a_line(load):
    content = "one\u2028two\x85three"
    load(
        "\n".join(
            json.dumps({"role": "user", "content": content}, ensure_ascii=False) for _ in "ab"
        )
    )

    assert [event.payload["content"] for event in Event.objects.all()] == [content, content]


@pytest.mark.parametrize("user", ["", " ", "x" * 256], ids=["none", "blank", "long"])
def test_a_name_that_is_none_is_refused(db, tmp_path, user):
    with pytest.raises(CommandError, match="1 to 255 characters"):
        call_command("import_conversation", str(tmp_path / "none"), "--user", user)


def test_a_missing_file_and_a_missing_agent_are_said(db, tmp_path):
    with pytest.raises(CommandError, match="no agent"):
        call_command("import_conversation", str(tmp_path / "none"), "--user", "alice")
    first_run()
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_conversation", str(tmp_path / "none"), "--user", "alice")


def test_the_sample_answers_a_question(db, capsys):
    first_run()
    call_command("load_sample")
    call_command("load_sample")
    run_jobs()

    call_command(
        "ask",
        "Which variety of tomato did we plant?",
        "--profile",
        "calibrated",
        "--profile",
        "words",
    )

    said = capsys.readouterr().out
    assert said.count("  1. ") == 2
    assert "Black Krim" in said.split("  2. ")[0]


def test_a_question_to_nobody_is_said(db):
    with pytest.raises(CommandError, match="knows no user"):
        call_command("ask", "anything")


def test_keys_are_issued_by_command(db, capsys):
    with pytest.raises(CommandError, match="no organization"):
        call_command("issue_key")
    first_run()
    call_command("issue_key")
    call_command("issue_key", "--agent", "assistant", "--days", "3")
    with pytest.raises(CommandError, match="no agent"):
        call_command("issue_key", "--agent", "nobody")

    assert capsys.readouterr().out.count("rk_") == 2
