"""A stream handed on."""

from collections.abc import Iterator

import httpx2
import orjson

from consolidation.chat.asking import PaidTurn
from consolidation.chat.errors import UpstreamUnreachable
from providers.upstream import BROKEN


class Relay:
    """A stream on its way from the model to the client, byte by byte as it comes.

    Whoever serves it calls `close` at its end, and as well when the client has hung up.
    """

    def __init__(self, answer: httpx2.Response, turn: PaidTurn) -> None:
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
