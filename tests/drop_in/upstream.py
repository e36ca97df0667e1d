"""A chat model of its own HTTP server: it says what it is told to, or what it finds in its prompt."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "look_up", "arguments": '{"city": "Lyon"}'},
}


@dataclass
class FakeModel:
    """`says` is the next answer; "…" in it holds a stream there until `goes_on` is set."""

    url: str
    says: str | dict = "Hello."
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    goes_on: threading.Event = field(default_factory=threading.Event)
    breaks_off: bool = False
    prompt_tokens: int = 500

    @property
    def usage(self) -> dict[str, int]:
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": 7,
            "total_tokens": self.prompt_tokens + 7,
        }

    @property
    def memory(self) -> str:
        """The words of the system messages of the latest prompt."""
        messages = self.asked[-1]["messages"]
        return "\n".join(one["content"] for one in messages if one["role"] == "system")


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"
    protocol_version = "HTTP/1.0"

    def do_POST(self) -> None:
        fake = self.server.fake
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        fake.asked.append(body)
        fake.keys.append(self.headers["authorization"])
        try:
            if fake.status != 200:
                self._send(fake.status, json.dumps({"error": {"message": "no", "code": "bad"}}))
            elif body.get("stream"):
                self._stream(fake)
            else:
                self._send(200, json.dumps(_whole(fake)))
        except ConnectionError:
            self.close_connection = True

    def _send(self, status: int, text: str) -> None:
        fake = self.server.fake
        self.send_response(status)
        for name, value in {"content-type": "application/json", **fake.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(text) + (9 if fake.breaks_off else 0)))
        self.end_headers()
        self.wfile.write(text.encode())

    def _stream(self, fake: FakeModel) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        if fake.breaks_off:
            self.send_header("content-length", "100000")
        self.end_headers()
        for delta in _deltas(fake.says):
            if delta.get("content") == "…":
                fake.goes_on.wait(20)
                continue
            self._line({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        if fake.breaks_off:
            return
        self._line({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self._line({"choices": [], "usage": fake.usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _line(self, more: dict[str, Any]) -> None:
        head = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "fake"}
        self.wfile.write(b"data: " + json.dumps({**head, **more}).encode() + b"\n\n")
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        pass


def _whole(fake: FakeModel) -> dict[str, Any]:
    said = fake.says
    message = {"role": "assistant", "content": said} if isinstance(said, str) else said
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    head = {"id": "c", "object": "chat.completion", "created": 0, "model": "fake"}
    return {**head, "choices": [choice], "usage": fake.usage}


def _deltas(said: str | dict) -> Iterator[dict[str, Any]]:
    if isinstance(said, str):
        yield from ({"content": word} for word in said.split("|"))
        return
    for index, call in enumerate(said["tool_calls"]):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        yield {"tool_calls": [{"index": index, "id": call["id"], "function": {"name": name}}]}
        for piece in (arguments[:5], arguments[5:]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeModel


@contextmanager
def running() -> Iterator[FakeModel]:
    server = _Server(("127.0.0.1", 0), _Handler)
    server.fake = FakeModel(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server.fake
    finally:
        server.fake.goes_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
