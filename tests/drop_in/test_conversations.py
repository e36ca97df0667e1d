"""The drop-in, spoken to by the `openai` package over HTTP, with a model that speaks it too."""

import pytest

from memory.models import Event, LaneWindow, Session
from memory.tokenizer import count_message
from recall.models import Receipt
from tests.drop_in.talking import ask, by, log, wait_for
from tests.drop_in.upstream import CALL
from tests.factories import make_ended_session

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_remembers_the_conversation_and_hands_on_the_answer(client, model):
    model.says = "A lovely name."

    answer = ask(client, by("system", "Be brief."), by("user", "My cat is Miso."), temperature=0.5)

    assert answer.choices[0].message.content == "A lovely name."
    assert answer.usage.prompt_tokens == 500
    assert log() == [("UserMsg", "My cat is Miso."), ("ModelOutput", "A lovely name.")]
    assert Session.objects.get().owner.key == "alice"
    assert model.asked[0]["temperature"] == 0.5
    assert model.asked[0]["model"] == "gpt-x"
    assert model.keys == ["Bearer sk-of-the-operator"]


def test_it_recalls_what_was_said_in_another_conversation(client, model, porter):
    make_ended_session(porter, ["My cat is called Miso."], user="alice")

    ask(client, by("system", "Be brief."), by("user", "What is my cat called?"))

    sent = model.asked[-1]["messages"]
    assert [one["role"] for one in sent] == ["system", "system", "system", "user"]
    assert sent[0]["content"] == "Be brief."
    # What the question called up stands before it, so that what is above stays as it was.
    assert "My cat is called Miso." in sent[2]["content"]


def test_it_recalls_nothing_of_another_user(client, model, porter):
    make_ended_session(porter, ["My cat is called Miso."], user="bob")

    ask(client, by("user", "What is my cat called?"))

    assert "Miso" not in model.memory


def test_a_conversation_sent_again_and_again_is_stored_once(client, model):
    first = by("user", "ok")
    model.says = "One."
    ask(client, first)
    ask(client, first)  # asked anew: another answer to the same words
    model.says = "Two."
    second = [first, by("assistant", "One."), by("user", "ok")]
    ask(client, *second)
    ask(client, *second[1:], extra_headers=_same(Session.objects.get()))

    said = [text for kind, text in log() if kind == "UserMsg"]
    assert said == ["ok", "ok"]
    assert Session.objects.count() == 1


def test_a_conversation_goes_on_after_its_session_has_ended(client, model):
    headers = {"X-Recollect-Session": "one"}
    model.says = "One."
    ask(client, by("user", "first"), extra_headers=headers)
    Session.objects.update(state=Session.State.CLOSED)

    history = [by("user", "first"), by("assistant", "One."), by("user", "second")]
    ask(client, *history, extra_headers=headers)

    assert [text for _, text in log()] == ["first", "One.", "second", "One."]
    assert Session.objects.count() == 2


def test_other_words_or_another_user_begin_another_conversation(client, model):
    ask(client, by("user", "hello"))
    ask(client, by("user", "hello"), user="bob")
    ask(client, by("user", "good morning"))

    assert Session.objects.count() == 3


def test_without_a_user_the_memory_is_the_conversations_own(client, model):
    client.chat.completions.create(model="m", messages=[by("user", "hello")])

    owner = Session.objects.get().owner
    assert owner.kind == "thread"


def test_a_header_says_who_it_is_and_wins(client, model):
    ask(client, by("user", "hello"), user="bob", extra_headers={"X-Recollect-User": "alice"})

    assert Session.objects.get().owner.key == "alice"


@pytest.mark.parametrize("stream", [False, True])
def test_tool_calls_are_remembered_whole(client, model, stream):
    model.says = {"role": "assistant", "content": None, "tool_calls": [CALL]}

    answer = ask(client, by("user", "weather?"), stream=stream, tools=[_tool()])
    if stream:
        list(answer)
    wait_for(lambda: len(log()) == 2)
    call = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    result = {"role": "tool", "tool_call_id": "call_1", "content": "Rain."}
    model.says = "It rains."
    ask(client, by("user", "weather?"), call, result)

    kinds = [kind for kind, _ in log()]
    assert kinds == ["UserMsg", "ModelOutput", "ToolResultCommitted", "ModelOutput"]
    assert Event.objects.get(seq=2).payload["tool_calls"] == [CALL]


def test_what_the_model_counted_raises_the_count(client, model, porter):
    model.prompt_tokens = 2_000
    make_ended_session(porter, [f"My cat {number} is called Miso." * 30 for number in range(5)])
    ask(client, by("user", "What is my cat called?"))

    session = Session.objects.get(external_id__startswith="drop-in:")
    assert Receipt.objects.get(session=session, kind="context").tokens > 100
    window = LaneWindow.objects.get(session=session, lane="edge")
    sent = model.asked[-1]["messages"]
    expected = 2_000 / sum(count_message(one["content"]) for one in sent)
    assert window.calibration == pytest.approx(expected, rel=0.02)


def test_the_name_recollect_leaves_the_model_to_the_server(client, model):
    ask(client, by("user", "hello"), model="recollect")

    assert model.asked[0]["model"] == "gpt-4.1-mini"


def test_without_a_model_it_says_so_and_shows_what_it_finds(client, porter):
    make_ended_session(porter, ["My cat is called Miso."], user="alice")
    raw = client.chat.completions.with_raw_response.create(
        model="recollect", messages=[by("user", "What is my cat called?")], user="alice"
    )

    answer = raw.parse()
    words = answer.choices[0].message.content
    again = [by("user", "What is my cat called?"), by("assistant", words), by("user", "Thanks")]
    ask(client, *again)

    assert raw.headers["x-recollect-model"] == "offline"
    assert answer.model == "recollect-offline"
    assert words.startswith("No language model is configured here")
    assert "My cat is called Miso." in words
    session = Session.objects.get(external_id__startswith="drop-in:")
    said = [event.payload["content"] for event in session.events.order_by("seq")]
    assert said == ["What is my cat called?", "Thanks"]
    assert [one.id for one in client.models.list()] == ["recollect-offline"]


def test_without_a_model_streams_say_the_same(client):
    stream = ask(client, by("user", "Who am I?"), stream=True)

    words = "".join(chunk.choices[0].delta.content or "" for chunk in stream)

    assert words.endswith("memory finds nothing for your words.")


def test_a_prompt_without_room_goes_on_without_memory(client, model, porter):
    porter.context_tokens = 10
    porter.save()

    raw = client.chat.completions.with_raw_response.create(
        model="m", messages=[by("user", "hello " * 50)], user="alice"
    )

    assert raw.headers["x-recollect-degraded"] == "budget_too_small"
    assert [one["role"] for one in model.asked[0]["messages"]] == ["user"]


def _same(session: Session) -> dict[str, str]:
    return {"X-Recollect-Session": session.external_id.removeprefix("drop-in:")}


def _tool() -> dict:
    return {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}
