"""What is an order to us, and no one's words."""

import pytest

from consolidation.intake.accept import accept_events, end_session
from memory.messages import is_command
from memory.models import Chunk
from recall.prompt.assembly import assemble_context
from tests.factories import make_session, run_jobs, said


@pytest.mark.parametrize("content", ["/compact", " /compact\n", "/compact the plans"])
def test_the_word_with_or_without_a_focus_is_a_command(content):
    assert is_command("UserMsg", {"content": content})


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("UserMsg", "/compacted"),
        ("ModelOutput", "/compact"),
        ("UserMsg", "/compact\nplease read this"),
        ("UserMsg", None),
        ("UserMsg", []),
    ],
)
def test_anything_else_is_not(kind, content):
    assert not is_command(kind, {"content": content})


def test_a_command_is_in_no_prompt_question_or_chunk(porter):
    session = make_session(porter)
    drafts = [said("What does my cat eat?"), *(said("/compact") for _ in range(3))]
    accept_events(agent=porter, session=session, drafts=drafts)

    prompt = assemble_context(session=session)
    end_session(session=session, reason="explicit")
    run_jobs()

    assert prompt.messages[-1]["content"] == "What does my cat eat?"
    assert [chunk.text for chunk in Chunk.objects.all()] == ["What does my cat eat?"]
