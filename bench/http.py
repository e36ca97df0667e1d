"""How many requests a second `/recall` answers over HTTP, alone or beside another checkout.

    python -m bench.http [--against FOLDER] [--connections 1,8,32] [--seconds 4] [--rounds 3]

Starts a whole installation (of each checkout its own), fills owners through the API, waits until
their vectors are there, then asks over kept connections. Two checkouts take turns, so that what
else the machine does meets both: read the ratios.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain, cycle, islice
from pathlib import Path
from urllib.parse import urlsplit

from bench.load import Line, drive
from bench.prose import Prose
from bench.rig import ROOT, Installation, installation

SESSIONS, MESSAGES, FIXED = 10, 100, 50
WARM = 8
OWNERS = ("ada", "bob", "cem")
# Rules that learn from messages would still be at work when the questions begin. The limit of
# requests is counted, as it is for everybody, and never met.
ENVIRONMENT = {"RECOLLECT_CHAT": "null", "RECOLLECT_REQUESTS_PER_SECOND": "1000000"}
Requests = Callable[[Installation], Iterator[bytes]]


@dataclass(slots=True)
class Measured:
    """Of one way to ask one side: of each round requests a second and processor time, every wait."""

    spent: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the checkouts that are compared."""

    name: str
    server: Installation
    measured: dict[str, Measured] = field(default_factory=lambda: defaultdict(Measured))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--against", type=Path, help="another checkout, with a .venv of its own")
    parser.add_argument("--connections", default="1,8,32")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each way, in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="keep the installations here and reuse them")
    asked = parser.parse_args()
    with ExitStack() as stack:
        temporary = stack.enter_context(tempfile.TemporaryDirectory(prefix="recollect-http-"))
        folder = asked.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
        roots = {"here": ROOT} | ({"against": asked.against.resolve()} if asked.against else {})
        sides = [_start(stack, name, root, folder) for name, root in roots.items()]
        with ThreadPoolExecutor(len(sides)) as pool:
            list(pool.map(_fill, sides))
        _measure(sides, [int(n) for n in asked.connections.split(",")], asked)


def _start(stack: ExitStack, name: str, root: Path, folder: Path) -> Side:
    return Side(name, stack.enter_context(installation(folder / name, ENVIRONMENT, root)))


def _fill(side: Side) -> None:
    """Give each owner ten ended sessions, and wait until all of it has vectors."""
    server = side.server
    for seed, user in enumerate(OWNERS):
        prose = Prose(seed)
        is_filled = bool(server.call("GET", f"sessions?user={user}")["results"])
        for number in range(0 if is_filled else SESSIONS):
            body = {"user": user, "external_id": f"{user} {number}"}
            session = server.call("POST", "sessions", body)["id"]
            messages = [
                {"role": ("user", "assistant")[place % 2], "content": prose.passage()}
                for place in range(MESSAGES)
            ]
            server.call("POST", f"sessions/{session}/events", {"messages": messages})
            server.call("POST", f"sessions/{session}/end", {})
    while _waiting(server):
        time.sleep(1)


def _waiting(server: Installation) -> int:
    names = ("recollect_embedding_backlog", "recollect_sessions_closing")
    lines = [line.split() for line in server.text("metrics").splitlines() if line.startswith(names)]
    return sum(int(float(value)) for _, value in lines)


def _recall(questions: Iterator[str], user: str = OWNERS[0]) -> Requests:
    def requests(server: Installation) -> Iterator[bytes]:
        for question in questions:
            yield _request(server, "POST", "/api/v1/recall", {"query": question, "user": user})

    return requests


def _health(server: Installation) -> Iterator[bytes]:
    return cycle([_request(server, "GET", "/health/live")])


def _request(server: Installation, method: str, path: str, body: object = None) -> bytes:
    sent = json.dumps(body).encode() if body is not None else b""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: {urlsplit(server.url).netloc}\r\n"
        f"Authorization: Bearer {server.key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(sent)}\r\n\r\n"
    )
    return head.encode() + sent


def _measure(sides: list[Side], connections: list[int], asked: argparse.Namespace) -> None:
    fixed = list(islice(Prose(100).questions(), FIXED))
    # Of each side its own iterator over the same questions: none is asked twice.
    distinct = {side.name: Prose(200).questions() for side in sides}
    for side in sides:
        # Often enough that each of its processes has met each of them.
        drive(_lines(side, 8, _recall(iter(fixed * WARM))(side.server)), float("inf"))
    for number in range(asked.rounds):
        for count in connections:
            for side in sides if number % 2 else reversed(sides):
                for what, requests in (
                    ("fixed", _recall(cycle(fixed))),
                    ("distinct", _recall(distinct[side.name])),
                    ("health", _health),
                ):
                    lines = _lines(side, count, requests(side.server))
                    _note(side, f"{what} {count}", lines, lines, asked.seconds)
        for side in sides:
            _third(side, asked.seconds)
        print(f"round {number + 1} of {asked.rounds}", file=sys.stderr)
    _print(sides)


def _third(side: Side, seconds: float) -> None:
    """Ask one owner alone, then while two others are asked as fast as they answer."""
    questions = Prose(300)
    alone, beside, *others = (
        _lines(side, 1, _recall(questions.questions(), user)(side.server))[0]
        for user in (OWNERS[2], OWNERS[2], *OWNERS[:2])
    )
    _note(side, "third, alone", [alone], [alone], seconds)
    _note(side, "third, beside two", [beside], [beside, *others], seconds)


def _lines(side: Side, count: int, requests: Iterator[bytes]) -> list[Line]:
    parts = urlsplit(side.server.url)
    return [Line((str(parts.hostname), int(parts.port or 80)), requests) for _ in range(count)]


def _note(side: Side, what: str, noted: list[Line], driven: list[Line], seconds: float) -> None:
    """Drive some lines, and note what those among them found that are looked at."""
    before = side.server.processor_seconds()
    took = drive(driven, seconds)
    spent = side.server.processor_seconds() - before
    measured = side.measured[what]
    waits = list(chain.from_iterable(line.waits for line in noted))
    measured.waits += waits
    measured.rates.append(len(waits) / took)
    measured.spent.append(1_000 * spent / sum(len(line.waits) for line in driven))


def _print(sides: list[Side]) -> None:
    """Print a row of each way and side: medians of the rounds, and ratios to the last side."""
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'what, connections':20s}{'side':9s}{'req/s':>7s}{'p50 ms':>9s}{'p95 ms':>9s}", end="")
    print(f"{'CPU ms':>9s}   req/s ratio (rounds)   CPU ratio")
    for what in sides[0].measured:
        base = sides[-1].measured[what]
        for side in sides:
            mine = side.measured[what]
            waits = sorted(wait * 1_000 for wait in mine.waits)
            p50, p95 = statistics.median(waits), waits[int(0.95 * len(waits))]
            rate, spent = statistics.median(mine.rates), statistics.median(mine.spent)
            print(f"{what:20s}{side.name:9s}{rate:7.0f}{p50:9.1f}{p95:9.1f}{spent:9.2f}", end="")
            is_last = side is sides[-1]
            print("" if is_last else f"   {_ratios(mine.rates, base.rates):22s} ", end="")
            print("" if is_last else _ratios(base.spent, mine.spent))


def _ratios(over: list[float], under: list[float]) -> str:
    each = sorted(first / second for first, second in zip(over, under, strict=True))
    return f"{statistics.median(each):.2f} ({each[0]:.2f} to {each[-1]:.2f})"


if __name__ == "__main__":
    main()
