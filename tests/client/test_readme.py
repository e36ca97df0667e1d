"""The first screen of the README does what it says, run from its own text."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "README.md").read_text()


def block(language: str, holds: str) -> str:
    """Return the README's first block of a language that holds a text."""
    blocks = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return next(found for found in blocks if holds in found)


def run(*command: str, server, key: str) -> str:
    own = {"RECOLLECT_KEY": key, "RECOLLECT_URL": server.url, "PYTHONPATH": str(ROOT / "client")}
    done = subprocess.run(
        command, env=os.environ | own, capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout


def test_ten_lines_of_python_remember_and_recall(live_server, key):
    printed = run(
        sys.executable, "-c", block("python", "import Memory"), server=live_server, key=key
    )

    assert "My cat is called Miso, and she only eats trout." in printed


def test_two_lines_of_curl_remember_and_recall(live_server, key):
    printed = run("sh", "-ec", block("sh", "api/v1/memories "), server=live_server, key=key)

    _, found = re.findall(r"\{.*?\}(?=\{|\Z)", printed.strip(), re.DOTALL)
    (memory,) = json.loads(found)["results"]
    assert memory["text"] == "I am allergic to peanuts."


def test_the_configuration_of_an_mcp_host_reaches_the_five_verbs(live_server, key):
    config = json.loads(block("json", "mcpServers"))["mcpServers"]["recollect"]
    headers = {name: text.replace("<agent key>", key) for name, text in config["headers"].items()}
    url = config["url"].replace("http://127.0.0.1:8710", live_server.url)

    async def talk():
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            await client.call_tool("add_memory", {"text": "I am allergic to peanuts."})
            return await client.call_tool("search_memory", {"query": "allergic"})

    found = anyio.run(talk).structured_content["memories"]

    assert [memory["text"] for memory in found] == ["I am allergic to peanuts."]
