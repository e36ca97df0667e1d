"""The drop-in, spoken to by the `openai` package over HTTP, with a model that speaks it too."""

import time
from typing import Any

import anyio
import openai
import pytest

from api.drop_in.turn import slots, upstream
from memory.models import Event, LaneWindow, Session
from memory.tokenizer import count_message
from recall.models import Receipt
from tests.api.connecting import key_of
from tests.api.upstream import CALL, running
from tests.factories import make_agent, make_ended_session, run_jobs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def porter(transactional_db):
    return make_agent("porter")


@pytest.fixture
def model(settings):
    with running() as fake:
        settings.CHAT, settings.OPENAI_BASE_URL = "openai", fake.url
        settings.OPENAI_API_KEY = "sk-of-the-operator"
        _forget()
        yield fake
        _forget()


def _forget() -> None:
    slots.cache_clear()
    upstream.cache_clear()


@pytest.fixture
def client(live_server, porter):
    with openai.OpenAI(
        base_url=f"{live_server.url}/v1", api_key=key_of(porter), max_retries=0
    ) as made:
        yield made


def ask(client, *messages: dict, user: str = "alice", model: str = "gpt-x", **more):
    return client.chat.completions.create(model=model, messages=list(messages), user=user, **more)


def by(role: str, content: str) -> dict:
    return {"role": role, "content": content}


def any_of(value: Any) -> Any:
    """Return a value without its type: the package's are narrower than what it takes."""
    return value


def log() -> list[tuple]:
    rows = Event.objects.order_by("session_id", "seq")
    return [(event.type, event.payload.get("content")) for event in rows]


def wait_for(holds) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


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
    assert [one["role"] for one in sent] == ["system", "system", "user"]
    assert sent[0]["content"] == "Be brief."
    assert "My cat is called Miso." in sent[1]["content"]


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


def _same(session: Session) -> dict[str, str]:
    return {"X-Recollect-Session": session.external_id.removeprefix("drop-in:")}


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


def test_a_stream_is_handed_on_as_it_comes_and_remembered(client, model):
    model.says = "Hel|lo |…|you."
    stream = ask(client, by("user", "hello"), stream=True)

    first = next(iter(stream)).choices[0].delta.content
    model.goes_on.set()
    rest = [chunk.choices[0].delta.content for chunk in stream if chunk.choices]

    assert first == "Hel"
    assert "".join(filter(None, rest)) == "lo you."
    wait_for(lambda: ("ModelOutput", "Hello you.") in log())


def test_what_was_said_before_the_client_hung_up_is_kept(client, model):
    model.says = "Hel|lo |…|you|" + "|".join("x" * 70_000 for _ in range(20))
    stream = ask(client, by("user", "hello"), stream=True)
    pieces = iter(stream)
    next(pieces), next(pieces)

    stream.close()
    model.goes_on.set()

    wait_for(lambda: len(log()) == 2)
    assert log()[1][1].startswith("Hello ")
    assert len(log()[1][1]) < 20 * 70_000


def test_a_stream_that_breaks_off_says_so_and_is_kept(client, model):
    model.says, model.breaks_off = "Hel|lo", True

    with pytest.raises(openai.APIError) as caught:
        list(ask(client, by("user", "hello"), stream=True))

    assert caught.value.code == "upstream_unreachable"
    wait_for(lambda: ("ModelOutput", "Hello") in log())


def test_an_answer_that_breaks_off_is_an_error(client, model):
    model.breaks_off = True

    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, by("user", "hello"))

    assert (caught.value.status_code, caught.value.code) == (502, "upstream_unreachable")
    assert log() == [("UserMsg", "hello")]
    assert slots().acquire(blocking=False)


def test_the_package_speaks_to_it_asynchronously_too(live_server, porter, model):
    url, key = f"{live_server.url}/v1", key_of(porter)

    async def run():
        hello, bye = any_of([by("user", "hello")]), any_of([by("user", "bye")])
        async with openai.AsyncOpenAI(base_url=url, api_key=key, max_retries=0) as client:
            whole = await client.chat.completions.create(model="m", messages=hello, user="alice")
            stream = await client.chat.completions.create(
                model="m", messages=bye, user="alice", stream=True
            )
            pieces = [chunk async for chunk in any_of(stream)]
            models = [one.id async for one in client.models.list()]
        return whole.choices[0].message.content, pieces, models

    whole, pieces, models = anyio.run(run)

    assert whole == "Hello."
    assert pieces[0].choices[0].delta.content == "Hello."
    assert models == ["gpt-4.1-mini"]


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


def _tool() -> dict:
    return {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_errors_of_the_model_are_passed_on(client, model, status):
    model.status, model.headers = status, {"retry-after": "7"}

    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, by("user", "hello"))

    assert caught.value.status_code == status
    assert caught.value.code == "bad"
    assert caught.value.response.headers["retry-after"] == "7"
    assert log() == [("UserMsg", "hello")]


def test_an_error_of_a_stream_is_passed_on(client, model):
    model.status = 429

    with pytest.raises(openai.RateLimitError):
        ask(client, by("user", "hello"), stream=True)

    assert slots().acquire(blocking=False)


def test_a_model_that_is_not_there_is_a_clear_error(client, model, settings):
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    _forget()

    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, by("user", "hello"))

    assert (caught.value.status_code, caught.value.code) == (502, "upstream_unreachable")
    assert log() == [("UserMsg", "hello")]


def test_more_answers_at_once_than_there_are_threads_for_wait_outside(client, model, settings):
    settings.DROP_IN_AT_ONCE = 1
    _forget()
    model.says = "Hel|…|lo"
    stream = ask(client, by("user", "hello"), stream=True)
    next(iter(stream))

    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, by("user", "another"))
    model.goes_on.set()
    list(stream)
    wait_for(lambda: slots().acquire(blocking=False))
    slots().release()
    model.says = "Yes."
    again = ask(client, by("user", "another"))

    assert (caught.value.status_code, caught.value.code) == (503, "drop_in_busy")
    assert caught.value.response.headers["retry-after"] == "1"
    assert again.choices[0].message.content == "Yes."


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


def test_with_nothing_that_could_answer_it_is_refused(client, settings):
    settings.CHAT = "null"

    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, by("user", "hello"))

    assert (caught.value.status_code, caught.value.code) == (503, "upstream_missing")
    assert log() == []


def test_a_bad_key_is_refused_as_chat_apis_do(live_server, db):
    with (
        openai.OpenAI(base_url=f"{live_server.url}/v1", api_key="rk_x_y", max_retries=0) as client,
        pytest.raises(openai.AuthenticationError) as caught,
    ):
        ask(client, by("user", "hello"))

    assert caught.value.code == "authentication_failed"


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "nobody", "content": "x"}],
        [{"role": "user"}],
        [{"role": "tool", "content": "x"}],
        ["x"],
        [{"role": "user", "content": "x" * 300_000}],
    ],
)
def test_what_has_no_place_in_the_log_is_refused(client, model, messages):
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        client.chat.completions.create(model="m", messages=messages, user="alice")

    assert caught.value.code == "invalid"
    assert model.asked == []


def test_a_prompt_without_room_goes_on_without_memory(client, model, porter):
    porter.context_tokens = 10
    porter.save()

    raw = client.chat.completions.with_raw_response.create(
        model="m", messages=[by("user", "hello " * 50)], user="alice"
    )

    assert raw.headers["x-recollect-degraded"] == "budget_too_small"
    assert [one["role"] for one in model.asked[0]["messages"]] == ["user"]


def test_a_session_that_ends_meanwhile_loses_the_answer_alone(client, model):
    model.says = "Hel|…|lo"
    stream = ask(client, by("user", "hello"), stream=True)
    next(iter(stream))
    Session.objects.update(state=Session.State.CLOSED)
    model.goes_on.set()

    rest = list(stream)

    assert rest[0].choices[0].delta.content == "lo"
    assert log() == [("UserMsg", "hello")]
    run_jobs()


def test_two_at_once_of_one_conversation_store_its_words_once(live_server, porter, model):
    url, key = f"{live_server.url}/v1", key_of(porter)

    async def run():
        async with (
            openai.AsyncOpenAI(base_url=url, api_key=key, max_retries=0) as client,
            anyio.create_task_group() as group,
        ):
            for _ in range(2):
                group.start_soon(_say_hello, client)

    anyio.run(run)

    assert [kind for kind, _ in log()].count("UserMsg") == 1


async def _say_hello(client) -> None:
    await client.chat.completions.create(model="m", messages=[by("user", "hi")], user="alice")
