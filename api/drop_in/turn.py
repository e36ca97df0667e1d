"""An answer under way: asked for, handed on, and kept however it ends."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache

import httpx2
import orjson
from django.conf import settings

from api.drop_in.answer import Gathered, keep
from api.drop_in.asked import Chat
from api.drop_in.errors import Busy, UpstreamUnreachable
from api.drop_in.prompt import Remembered, with_memory
from memory.models import Session
from providers.errors import ProviderUnavailable
from providers.upstream import BROKEN, Upstream

# Names that leave the choice of the model to the server.
ANY = frozenset({"", "recollect"})


@cache
def slots() -> threading.BoundedSemaphore:
    """Return what bounds the answers under way in this process: each of them holds a thread."""
    return threading.BoundedSemaphore(settings.DROP_IN_AT_ONCE)


@cache
def upstream() -> Upstream:
    return Upstream(
        base_url=settings.OPENAI_BASE_URL,
        api_key=settings.OPENAI_API_KEY,
        seconds=settings.DROP_IN_SECONDS,
    )


def request_for(chat: Chat, remembered: Remembered) -> dict[str, object]:
    """Return the request for the model: the caller's own, with memory in it."""
    named = chat.body.get("model")
    model = named if isinstance(named, str) and named not in ANY else settings.OPENAI_CHAT_MODEL
    messages = with_memory(chat.messages, remembered.text)
    return {**chat.body, "model": model, "messages": messages}


@dataclass(slots=True)
class Turn:
    """`close` keeps what has come and frees the slot; a second time it does nothing."""

    session: Session
    remembered: Remembered
    sent: Mapping[str, object]
    gathered: Gathered = field(default_factory=Gathered)
    held: ExitStack = field(default_factory=ExitStack)

    def begin(self) -> httpx2.Response:
        """Ask the model. Raises Busy, or UpstreamUnreachable."""
        if not slots().acquire(blocking=False):
            raise Busy("too many answers are under way")
        self.held.callback(slots().release)
        try:
            answer = upstream().ask(self.sent)
        except ProviderUnavailable as error:
            self.close()
            raise UpstreamUnreachable(str(error)) from error
        self.held.callback(answer.close)
        return answer

    def whole(self, answer: httpx2.Response) -> bytes:
        """Return the answer's body, read to its end. Raises UpstreamUnreachable."""
        try:
            body = answer.read()
        except BROKEN as error:
            raise UpstreamUnreachable(f"it broke off: {type(error).__name__}") from None
        finally:
            self.held.close()
        if answer.is_success:
            self.gathered.take_whole(body)
        self.close()
        return body

    def close(self) -> None:
        # First of all: whoever waits for a slot waits for no database.
        self.held.close()
        gathered, self.gathered = self.gathered, Gathered()
        receipt = self.remembered.receipt
        keep(session=self.session, gathered=gathered, sent=self.sent, receipt=receipt)


class Relay:
    """A stream on its way from the model to the client, byte by byte as it comes.

    Whoever serves it calls `close` at its end, and as well when the client has hung up.
    """

    def __init__(self, answer: httpx2.Response, turn: Turn) -> None:
        self._pieces, self._turn = answer.iter_bytes(), turn
        self._rest, self._is_over = b"", False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._is_over:
            raise StopIteration
        try:
            piece = next(self._pieces)
        except BROKEN:
            self._is_over = True
            return _broken()
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._turn.gathered.take_line(line)
        return piece

    def close(self) -> None:
        self._turn.close()


def _broken() -> bytes:
    """Return the end of a stream that says it was cut short."""
    fault = UpstreamUnreachable("the model's answer broke off")
    error = {"message": f"{fault}. {fault.hint}", "type": "recollect_error", "code": fault.code}
    return b"\n\ndata: " + orjson.dumps({"error": error}) + b"\n\n"
