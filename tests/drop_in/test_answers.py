"""How answers come through the drop-in: in pieces, broken off, refused, too many at once."""

from decimal import Decimal

import anyio
import openai
import pytest

from accounts.credits import set_budget
from audit.models import CostEntry
from consolidation.chat.asking import slots
from memory.models import Session
from tests.api.connecting import key_of
from tests.drop_in.talking import any_of, ask, by, forget, log, wait_for
from tests.factories import run_jobs

pytestmark = pytest.mark.django_db(transaction=True)


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
    forget()

    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, by("user", "hello"))

    assert (caught.value.status_code, caught.value.code) == (502, "upstream_unreachable")
    assert log() == [("UserMsg", "hello")]


def test_more_answers_at_once_than_there_are_threads_for_wait_outside(client, model, settings):
    settings.DROP_IN_AT_ONCE = 1
    forget()
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


def test_an_answer_that_nobody_can_pay_is_not_asked_for(client, model, porter):
    set_budget(organization=porter.organization, micro_usd=Decimal(1), actor="operator")

    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, by("user", "hello"), model="recollect")

    assert (caught.value.status_code, caught.value.code) == (402, "out_of_budget")
    assert model.asked == []
    assert log() == [("UserMsg", "hello")]
    assert slots().acquire(blocking=False)


def test_an_answer_is_entered_at_what_it_took(client, model):
    model.says = "Hel|lo"
    list(ask(client, by("user", "hello"), stream=True))
    wait_for(lambda: CostEntry.objects.filter(state="settled").count() == 1)
    model.breaks_off = True
    with pytest.raises(openai.APIStatusError):
        ask(client, by("user", "good bye"))

    entries = CostEntry.objects.filter(purpose="chat").order_by("pk")
    taken = [(one.state, one.output_tokens) for one in entries]
    assert taken[0] == ("settled", 7)
    assert taken[1][0] == "failed"


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
