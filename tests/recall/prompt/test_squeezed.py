"""What a model's tools gave is read, cut if need be, before anything else."""

import pytest

from consolidation.intake.accept import accept_events
from memory.messages import draft_of
from memory.models import Event
from memory.windows import total
from recall.prompt.assembly import assemble_context
from recall.prompt.view import shown
from recall.prompt.window import squeezed
from tests.factories import make_agent, make_session, said


def call(*ids):
    calls = [
        {"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}}
        for id in ids
    ]
    return draft_of({"role": "assistant", "tool_calls": calls})


def result(id, text):
    return draft_of({"role": "tool", "tool_call_id": id, "content": text})


@pytest.fixture
def session(db):
    agent = make_agent("reader", context_tokens=1_000)
    found = make_session(agent)
    drafts = [
        *(said(f"Earlier question {place}?") for place in range(5)),
        said("Read both files."),
        call("a", "b"),
        result("a", "first line " * 2_000),
        result("b", "short"),
    ]
    accept_events(agent=agent, session=found, drafts=drafts)
    return found


def test_results_that_are_too_long_are_cut_and_not_left_out(session):
    prompt = assemble_context(session=session)

    roles = [message["role"] for message in prompt.messages[-4:]]
    assert roles == ["user", "assistant", "tool", "tool"]
    long, short = prompt.messages[-2:]
    assert str(long["content"]).startswith("first line first line")
    assert str(long["content"]).endswith("[cut to fit]")
    assert short["content"] == "short"
    assert prompt.tokens <= 900
    assert Event.objects.get(tool_call_id="a").payload["content"] == "first line " * 2_000


@pytest.mark.parametrize("room", [40, 60, 100, 500, 5_000])
def test_they_fit_the_room_together(session, room):
    group = list(Event.objects.filter(session=session, seq__gte=7).order_by("seq"))

    cut = squeezed(group, room)

    assert [event.seq for event in cut] == [7, 8, 9]
    assert total(shown(event) for event in cut) <= room


def test_without_any_room_there_is_none(session):
    group = list(Event.objects.filter(session=session, seq__gte=7).order_by("seq"))

    assert squeezed(group, 3) == []
