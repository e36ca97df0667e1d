"""The cat's name, told and asked for through every way in, after a reset and after a restart."""

from functools import partial
from typing import Protocol

import anyio
import httpx2
import openai
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from recollect import Recollect
from tests.live.installation import Installation

pytestmark = pytest.mark.timeout(240)
TOLD = "My cat is called {name}."
ASKED = "What is my cat called?"


class Way(Protocol):
    def tell(self, server: Installation, name: str) -> None: ...

    def ask(self, server: Installation, name: str) -> str: ...


class Rest:
    def tell(self, server: Installation, name: str) -> None:
        session = server.call("sessions", {"user": name})["id"]
        said = {"messages": [{"role": "user", "content": TOLD.format(name=name)}]}
        server.call(f"sessions/{session}/events", said)
        server.call(f"sessions/{session}/end", {})

    def ask(self, server: Installation, name: str) -> str:
        return str(server.call("recall", {"query": ASKED, "user": name}))


class Tools:
    def tell(self, server: Installation, name: str) -> None:
        arguments = {"op": "insert", "content": TOLD.format(name=name)}
        server.call("tools/choir_memory_upsert", {"arguments": arguments})

    def ask(self, server: Installation, name: str) -> str:
        arguments = {"store": "knowledge", "mode": "text", "query": f"cat {name}"}
        return str(server.call("tools/choir_memory_query", {"arguments": arguments}))


class Mcp:
    def tell(self, server: Installation, name: str) -> None:
        said = {"op": "insert", "content": TOLD.format(name=name)}
        self._call(server, "choir.memory.upsert", said)

    def ask(self, server: Installation, name: str) -> str:
        asked = {"store": "knowledge", "mode": "text", "query": f"cat {name}"}
        return self._call(server, "choir.memory.query", asked)

    def _call(self, server: Installation, tool: str, arguments: dict) -> str:
        headers = {"Authorization": f"Bearer {server.facts()['agent_key']}"}
        url = f"http://127.0.0.1:{server.port}/mcp?profile=all"

        async def run() -> str:
            async with (
                httpx2.AsyncClient(headers=headers, timeout=30) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                answer = await client.call_tool(tool, arguments)
            assert not answer.is_error
            return str(answer.structured_content)

        return anyio.run(run)


class PythonClient:
    def tell(self, server: Installation, name: str) -> None:
        with self._memory(server) as memory:
            session = memory.session(name)
            memory.send(session, TOLD.format(name=name))
            memory.end(session)

    def ask(self, server: Installation, name: str) -> str:
        with self._memory(server) as memory:
            return str(memory.recall(ASKED, user=name))

    def _memory(self, server: Installation) -> Recollect:
        url = f"http://127.0.0.1:{server.port}"
        return Recollect(server.facts()["agent_key"], url=url)


class DropIn:
    def tell(self, server: Installation, name: str) -> None:
        self._say(server, name, TOLD.format(name=name))
        ended = server.call("sessions", {"user": name, "external_id": "drop-in:talk"})
        server.call(f"sessions/{ended['id']}/end", {})

    def ask(self, server: Installation, name: str) -> str:
        return self._say(server, name, ASKED)

    def _say(self, server: Installation, name: str, words: str) -> str:
        url, key = f"http://127.0.0.1:{server.port}/v1", server.facts()["agent_key"]
        with openai.OpenAI(base_url=url, api_key=key) as client:
            answer = client.chat.completions.create(
                model="recollect",
                messages=[{"role": "user", "content": words}],
                user=name,
                extra_headers={"X-Recollect-Session": "talk"},
            )
        return answer.choices[0].message.content or ""


WAYS: dict[str, Way] = {
    "Miso": Rest(),
    "Momo": Tools(),
    "Mimi": Mcp(),
    "Mila": PythonClient(),
    "Mona": DropIn(),
}


def _is_known(way: Way, server: Installation, name: str) -> bool:
    return f"called {name}" in way.ask(server, name)


def test_the_cats_name_is_recalled_through_every_way_after_a_reset_and_a_restart(folder):
    server = Installation(folder).start()
    try:
        for name, way in WAYS.items():
            way.tell(server, name)
        for name, way in WAYS.items():
            server.wait_until(partial(_is_known, way, server, name))
        strangers = {name: way.ask(server, "nobody") for name, way in WAYS.items()}
    finally:
        server.stop()
    server.start()
    try:
        answers = {name: way.ask(server, name) for name, way in WAYS.items()}
    finally:
        server.stop()

    assert {name for name, answer in answers.items() if f"called {name}" not in answer} == set()
    assert "Miso" not in strangers["Miso"]
    assert "Mona" not in strangers["Mona"]
