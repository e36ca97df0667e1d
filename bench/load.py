"""Send requests over connections that are kept, and note how long each waits for its answer."""

import selectors
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

LONGEST_WAIT = 60.0


@dataclass(slots=True)
class Line:
    """One connection: it sends its next request when the last one is answered."""

    address: tuple[str, int]
    requests: Iterator[bytes]
    waits: list[float] = field(default_factory=list)
    connection: socket.socket | None = None
    request: bytes = b""
    answer: bytes = b""
    sent_at: float = 0.0
    was_closed: bool = False

    def send(self) -> bool:
        """Send the next request; return whether there was one."""
        self.request, self.answer = next(self.requests, b""), b""
        self.sent_at = time.perf_counter()
        if self.request and self.connection is None:
            self.connection = socket.create_connection(self.address, LONGEST_WAIT)
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.request and self.connection is not None:
            self.connection.sendall(self.request)
        return bool(self.request)

    def read(self) -> bool:
        """Take what has come; return whether the answer is whole. Ends the program on a failure."""
        assert self.connection is not None
        try:
            part = self.connection.recv(262_144)
        except ConnectionResetError:
            part = b""
        if not part:
            return self._came_to_nothing()
        self.answer += part
        head, separator, body = self.answer.partition(b"\r\n\r\n")
        if not separator or len(body) < _length(head):
            return False
        self.was_closed = False
        self.waits.append(time.perf_counter() - self.sent_at)
        if b" 200 " not in head.split(b"\r\n", 1)[0]:
            sys.exit(f"answered with {self.answer[:600]!r}")
        return True

    def _came_to_nothing(self) -> bool:
        """Return False: a server may close what it kept, once, and is then asked anew."""
        if self.answer or self.was_closed:
            sys.exit(f"a connection ended before its answer: {self.answer[:300]!r}")
        self.close()
        self.was_closed = True
        return False

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def drive(lines: list[Line], seconds: float) -> float:
    """Keep every line busy for so long, or until its requests end; return the seconds taken."""
    with selectors.DefaultSelector() as selector:
        begun = time.perf_counter()
        for line in lines:
            _send(selector, line)
        while selector.get_map():
            ready = selector.select(LONGEST_WAIT)
            if not ready:
                sys.exit(f"no answer within {LONGEST_WAIT:g} s")
            for key, _ in ready:
                _take(selector, key.data, begun + seconds)
        took = time.perf_counter() - begun
    for line in lines:
        line.close()
    return took


def _send(selector: selectors.BaseSelector, line: Line) -> None:
    before = line.connection
    is_sent = line.send()
    if before is not line.connection:
        selector.register(line.connection, selectors.EVENT_READ, line)
    elif not is_sent and before is not None:
        selector.unregister(before)


def _take(selector: selectors.BaseSelector, line: Line, until: float) -> None:
    before = line.connection
    is_whole = line.read()
    if line.connection is None:
        selector.unregister(before)
        _send(selector, line)
    elif is_whole and time.perf_counter() < until:
        _send(selector, line)
    elif is_whole:
        selector.unregister(line.connection)


def _length(head: bytes) -> int:
    for name, _, value in (row.partition(b":") for row in head.split(b"\r\n")[1:]):
        if name.lower() == b"content-length":
            return int(value)
    sys.exit(f"an answer without a length: {head[:300]!r}")
