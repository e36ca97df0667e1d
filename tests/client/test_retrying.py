"""What the client does when an answer is late, lost or a refusal that passes."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anyio
import httpx2
import pytest

from recollect import AsyncRecollect, Invalid, Recollect, Throttled, Unavailable, Unreachable
from recollect.retrying import LONGEST, wait_before

STORED = {"events": [{"id": "e", "lane": "edge", "seq": 1, "hash": "h", "tokens": 3}]}


class Scripted:
    """Answers of a server, one per request; an exception is an answer that never comes."""

    def __init__(self, *script: Exception | httpx2.Response) -> None:
        self.script = list(script)
        self.asked: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        next_one = self.script.pop(0)
        if isinstance(next_one, Exception):
            raise next_one
        return next_one


def answer(status: int, body: object = None, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    content = b"" if body is None else json.dumps(body).encode()
    return httpx2.Response(status, content=content, headers=named)


@pytest.fixture
def waits(monkeypatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr("recollect.sync.time.sleep", found.append)

    async def sleep(seconds: float) -> None:
        found.append(seconds)

    monkeypatch.setattr("recollect.aio.asyncio.sleep", sleep)
    return found


def client(server: Scripted, **options) -> Recollect:
    return Recollect("k", transport=httpx2.MockTransport(server), **options)


@pytest.mark.parametrize(
    "failure",
    [httpx2.ConnectError("x"), httpx2.ReadTimeout("x"), answer(429), answer(500), answer(503)],
)
def test_it_asks_again_with_the_same_key(waits, failure):
    server = Scripted(failure, answer(201, STORED))

    with client(server) as memory:
        (stored,) = memory.send("s", "hello")

    keys = [request.headers["idempotency-key"] for request in server.asked]
    assert stored.id == "e"
    assert len(keys) == 2
    assert keys[0] == keys[1]
    assert len(waits) == 1


def test_it_waits_as_long_as_it_is_told(waits):
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    server = Scripted(
        answer(429, retry_after="7"), answer(503, retry_after=soon), answer(201, STORED)
    )

    with client(server) as memory:
        memory.send("s", "hello")

    assert waits[0] == 7.0
    assert 15 < waits[1] <= 20


def test_it_waits_longer_each_time_and_then_gives_up(waits):
    server = Scripted(*[answer(503, {"title": "down", "code": "x", "hint": "h"})] * 5)

    with client(server) as memory, pytest.raises(Unavailable) as caught:
        memory.recall("x", user="alice")

    assert len(server.asked) == 5
    assert waits == sorted(waits)
    assert caught.value.code == "x"


def test_what_does_not_pass_is_not_asked_again(waits):
    server = Scripted(answer(422, {"title": "no", "code": "invalid", "hint": "h"}))

    with client(server) as memory, pytest.raises(Invalid):
        memory.recall("x")

    assert waits == []


@pytest.mark.parametrize("body", [None, ["x"], {"title": "slow"}])
def test_a_refusal_that_is_no_problem_details_has_a_type_all_the_same(waits, body):
    with client(Scripted(answer(429, body)), retries=0) as memory, pytest.raises(Throttled):
        memory.recall("x")


def test_a_deletion_whose_answer_was_lost_is_done(waits):
    server = Scripted(httpx2.ReadError("x"), answer(404, {"code": "not_found"}))

    with client(server) as memory:
        memory.forget("cat")

    assert [request.method for request in server.asked] == ["DELETE", "DELETE"]


def test_the_asynchronous_client_waits_and_gives_up_too(waits):
    server = Scripted(answer(503, retry_after="2"), httpx2.ConnectError("x"))

    async def run():
        async with AsyncRecollect("k", retries=1, transport=httpx2.MockTransport(server)) as memory:
            await memory.recall("x")

    with pytest.raises(Unreachable):
        anyio.run(run)
    assert waits == [2.0]


@pytest.mark.parametrize(
    ("value", "least", "most"), [("99999", 30, 30), ("soon", 0, 0.25), ("", 0, 0.25)]
)
def test_no_server_makes_it_wait_for_ever(value, least, most):
    wait = wait_before(0, answer(429, retry_after=value))

    assert least <= wait <= most
    assert wait_before(60, None) <= LONGEST
