"""An OpenAI-compatible server on this machine that fails on request, one fault per reply."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from providers.base import Vector
from providers.hashing import HashingEmbedder
from providers.presets import PRESETS
from tests.providers.fake_chat import CHAT_FAULTS, AskedChat
from tests.providers.faults import FAULTS, Answer, raw
from tests.providers.quirks import rejection

Rows = list[tuple[int, Vector]]
PIECE = 65_536
DRIP_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for vectors, as it came; `place` is the text that a fault spoils."""

    path: str
    model: str
    texts: list[str]
    dimension: int
    is_base64: bool
    authorization: str
    place: int = 0

    def rows(self) -> Rows:
        return list(enumerate(unit_vectors(self.texts, self.dimension)))

    def answer(self, rows: Rows | None = None) -> Answer:
        data = [
            {"object": "embedding", "index": index, "embedding": _numbers(vector, self.is_base64)}
            for index, vector in (self.rows() if rows is None else rows)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        reply = {"object": "list", "model": self.model, "data": data, "usage": usage}
        return Answer(json.dumps(reply).encode())


def unit_vectors(texts: list[str], dimension: int) -> list[Vector]:
    found = HashingEmbedder(dimension).embed(texts)
    first = np.eye(1, dimension, dtype=np.float32)[0]
    return [first if vector is None else vector for vector in found]


def _numbers(vector: Vector, is_base64: bool) -> str | list[float]:
    return base64.b64encode(vector.tobytes()).decode() if is_base64 else vector.tolist()


def _changed(change: Callable[[Rows], Rows]) -> Callable[[Asked], Answer]:
    return lambda asked: asked.answer(change(asked.rows()))


def _spoiled(spoil: Callable[[Vector], Vector]) -> Callable[[Asked], Answer]:
    def fault(asked: Asked) -> Answer:
        rows = asked.rows()
        index, vector = rows[asked.place]
        rows[asked.place] = index, spoil(vector)
        return asked.answer(rows)

    return fault


VECTOR_FAULTS: dict[str, Callable[[Asked], Answer]] = {
    "wrong-rows": raw(b'{"object": "list", "data": [{"index": 0}]}'),
    "shuffled": _changed(lambda rows: rows[::-1]),
    "wrong-count": _changed(lambda rows: rows[:-1] or rows * 2),
    "too-many": _changed(lambda rows: [*rows, (len(rows), rows[0][1])]),
    "duplicate-index": _changed(lambda rows: [(0, vector) for _, vector in [*rows, rows[0]]]),
    "short-vector": _spoiled(lambda vector: vector[:3]),
    "nan": _spoiled(lambda vector: vector * np.float32(np.nan)),
    "inf": _spoiled(lambda vector: np.full_like(vector, np.inf)),
    "zero": _spoiled(np.zeros_like),
    "unscaled": _spoiled(lambda vector: vector * np.float32(1e30)),
}


class FakeOpenAI:
    """`script` is used up, one per request: a fault, or what a chat model says word by word.

    `poison` spoils every request with that text.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[Asked] = []
        self.chats: list[AskedChat] = []
        self.script: list[str] = []
        self.poison: dict[str, str] = {}
        self.answers_in_floats = False
        # The name of a preset, whose endpoint's peculiarities it takes on.
        self.behaves_as = ""
        self.rejected = 0
        self.is_over = threading.Event()

    def reply(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        faults = {**FAULTS, **VECTOR_FAULTS}
        if self.script:
            return faults[self.script.pop(0)](asked)
        for place, text in enumerate(asked.texts):
            if text in self.poison:
                return faults[self.poison[text]](replace(asked, place=place))
        return asked.answer()

    def chat(self, asked: AskedChat) -> Answer:
        self.chats.append(asked)
        faults = {**FAULTS, **CHAT_FAULTS}
        if not self.script:
            return asked.answer()
        next_one = self.script.pop(0)
        return faults[next_one](asked) if next_one in faults else asked.reply(next_one)


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        # A client that has heard enough hangs up.
        try:
            self._send(self._answer(body))
        except ConnectionError:
            self.close_connection = True

    def _answer(self, body: dict[str, Any]) -> Answer:
        fake, authorization = self.server.fake, self.headers["authorization"]
        if rejected := rejection(fake.behaves_as, self.path, body):
            fake.rejected += 1
            return rejected
        if self.path.endswith("/chat/completions"):
            return fake.chat(AskedChat(self.path, body, authorization))
        wants_base64 = body.get("encoding_format") == "base64"
        return fake.reply(
            Asked(
                path=self.path,
                model=body["model"],
                texts=body["input"],
                dimension=body.get("dimensions") or PRESETS[fake.behaves_as].dimension,
                is_base64=wants_base64 and not fake.answers_in_floats,
                authorization=authorization,
            )
        )

    def _send(self, given: Answer) -> None:
        if given.hangs:
            self.server.fake.is_over.wait()
            return
        self.send_response(given.status)
        for name, value in {"content-type": "application/json", **given.headers}.items():
            self.send_header(name, value)
        if given.cut:
            self.send_header("content-length", str(len(given.body) + 1))
        self.end_headers()
        for piece in _pieces(given):
            self.wfile.write(piece)
            if given.drips and self.server.fake.is_over.wait(DRIP_SECONDS):
                return

    def log_message(self, format: str, *args: object) -> None:
        pass


def _pieces(given: Answer) -> Iterator[bytes]:
    body = given.body[: len(given.body) // 2] if given.cut else given.body
    size = 1 if given.drips else PIECE
    for start in range(0, len(body), size):
        yield body[start : start + size]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    fake: FakeOpenAI


@contextmanager
def running() -> Iterator[FakeOpenAI]:
    server = _Server(("127.0.0.1", 0), _Handler)
    server.fake = FakeOpenAI(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server.fake
    finally:
        server.fake.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
