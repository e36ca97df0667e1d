"""A long conversation through the drop-in: it is compacted, and what goes to the model stays in budget."""

import pytest

from accounts.models import Agent
from consolidation.models import CompactionRun
from memory.budget import estimate_message
from memory.models import CompactMarker, Event, LaneWindow
from providers.registry import chat_model
from tests.drop_in.talking import ask, by
from tests.factories import run_jobs

pytestmark = pytest.mark.django_db(transaction=True)
CONTEXT = 4_000


@pytest.fixture(autouse=True)
def small(porter):
    Agent.objects.update(context_tokens=CONTEXT, learns=False)


@pytest.fixture
def fold(settings):
    """Return what does the jobs, with the rules in the place of the model that answers."""

    def do_jobs():
        settings.CHAT = "offline"
        chat_model.cache_clear()
        run_jobs()
        settings.CHAT = "openai"
        chat_model.cache_clear()

    return do_jobs


def told(count):
    """Return a history of so many messages, the user's first and last."""
    roles = ("user", "assistant")
    return [by(roles[n % 2], f"message number {n} about my bakery") for n in range(count)]


@pytest.mark.requirement("CH-43")
@pytest.mark.parametrize("stream", [False, True])
def test_the_command_is_answered_by_us_and_asks_no_model(client, model, stream, fold):
    ask(client, *told(41))
    before = len(model.asked)

    answer = ask(
        client, *told(41), by("assistant", "Hello."), by("user", "/compact"), stream=stream
    )

    pieces = [one.choices[0].delta.content or "" for one in answer] if stream else []
    words = "".join(pieces) if stream else answer.choices[0].message.content
    assert words.startswith("[recollect] ")
    assert len(model.asked) == before
    fold()
    assert CompactMarker.objects.count() == 1


@pytest.mark.requirement("CH-43")
def test_after_a_fold_the_window_and_the_summary_go_on_in_place_of_the_history(client, model, fold):
    history = [*told(41), by("assistant", "Hello.")]
    ask(client, *told(41))
    command = [*history, by("user", "/compact the bakery")]
    note = ask(client, *command).choices[0].message.content
    fold()
    assert CompactionRun.objects.get().trigger == "message"

    ask(client, by("system", "Be brief."), *command, by("assistant", note), by("user", "And now?"))

    sent = model.asked[-1]["messages"]
    texts = [one["content"] for one in sent]
    assert texts[0] == "Be brief."
    assert any("Summary of the earlier conversation." in text for text in texts)
    assert "message number 0 about my bakery" not in texts
    assert texts[-1] == "And now?"
    assert not any(text.startswith(("/compact", "[recollect]")) for text in texts)
    assert note not in {event.payload["content"] for event in Event.objects.all()}


@pytest.mark.requirement("CH-41")
@pytest.mark.requirement("CH-43")
def test_two_thousand_messages_go_on_and_every_prompt_stays_in_budget(client, model, fold):
    instructions = by("system", "Be brief. " * 40)
    for count in (1_201, 1_601, 1_999, 2_001):
        ask(client, instructions, *told(count))
        fold()

        sent = model.asked[-1]["messages"]
        assert sum(estimate_message(one["content"]) for one in sent) <= 0.9 * CONTEXT
        assert sent[-1]["content"] == f"message number {count - 1} about my bakery"

    said = Event.objects.filter(type="UserMsg").count()
    assert said == 1_001
    window = LaneWindow.objects.get(lane="edge")
    folded = {seq for marker in CompactMarker.objects.all() for seq in marker.folded}
    shown = {*window.kept, *range(window.start_seq, window.last_seq + 1)}
    assert folded | shown == set(range(1, window.last_seq + 1))
