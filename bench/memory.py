"""What is learned from labelled dialogues, through the API, with the configured chat model.

    python -m bench.memory DIALOGUES.json --out FOLDER [--history FILE.json.gz] [--messages 500]
                           [--only d01,d02]

Sends every dialogue as an agent would: one message after the other, then the session's end; waits
until all of it is learned; then asks for each question the prompt that an agent would get. Writes
one file for each dialogue, to be judged by reading (the labels are copied beside what was
learned), and prints calls and tokens for each message of a user. No substring is scored: it is no
evidence.

--history   sets each dialogue amid messages of another conversation (LoCoMo's form of file)
"""

import argparse
import gzip
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from tqdm import tqdm

from bench.rig import Installation, as_operator, installation, manage

POLL_SECONDS = 1.0
# Jobs that make nothing of what was said, and never end for good.
UPKEEP = {"heartbeat", "sweep", "snapshots", "graphs", "measures", "prune", "retention", "decay"}
LABELS = ("facts", "not_facts", "rules", "superseded")
LEARNED = ("facts", "sessions", "rules")
MOST_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session as it is sent: its messages, oldest first, each with role, content, occurred_at.

    `at_once` is how many of them one request holds.
    """

    name: str
    messages: Sequence[Mapping[str, str]]
    at_once: int = 1


def main() -> int:
    asked = _arguments()
    cases = json.loads(asked.dialogues.read_text(encoding="utf-8"))
    wanted = set(filter(None, asked.only.split(",")))
    cases = [case for case in cases if not wanted or case["id"] in wanted]
    filler = _filler(asked.history, asked.messages) if asked.history else []
    asked.out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder,
        installation(Path(folder), {}) as server,
    ):
        operator = as_operator(server, Path(folder))
        # The sample is learned from first: it is no part of what the dialogues cost.
        _wait_for_jobs(operator)
        before = _costs(operator)
        play_all(server, operator, cases, filler)
        # The rounds that work observations into profiles come by the clock: this one comes now.
        manage(Path(folder), "process_events")
        _wait_for_jobs(operator)
        for case in tqdm(cases, desc="questions", disable=None):
            write_answers(server, case, asked.out)
        _print_costs(_costs(operator) - before, cases, filler, asked.out)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("dialogues", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="", help="comma-separated ids of dialogues")
    parser.add_argument("--history", type=Path)
    parser.add_argument("--messages", type=int, default=500, help="how much history (500)")
    return parser.parse_args()


def play_all(
    server: Installation,
    operator: Installation,
    cases: Sequence[dict],
    filler: Sequence[Conversation],
) -> None:
    """Play the dialogues side by side: each is another user, and a model may take its time."""
    play = partial(_play, server, operator, filler=filler)
    with ThreadPoolExecutor(len(cases) or 1) as threads:
        list(tqdm(threads.map(play, cases), total=len(cases), desc="dialogues", disable=None))


def _play(
    server: Installation, operator: Installation, case: dict, *, filler: Sequence[Conversation]
) -> None:
    for conversation in amid(case, filler):
        session = send(server, case["user"], conversation)
        _wait(server, operator, session)


def write_answers(server: Installation, case: dict, out: Path) -> None:
    """Write a dialogue's labels, what was learned of it, and the prompt of each question."""
    answers = {label: case.get(label, []) for label in LABELS}
    answers |= {"id": case["id"], "lang": case["lang"], "learned": learned(server, case["user"])}
    answers["questions"] = [
        question | {"prompt": prompt(server, case["user"], question["q"])}
        for question in case["questions"]
    ]
    text = json.dumps(answers, ensure_ascii=False, indent=1)
    (out / f"{case['id']}.json").write_text(text, encoding="utf-8")


def amid(case: dict, filler: Sequence[Conversation]) -> Iterator[Conversation]:
    """Yield a dialogue's sessions, with an even share of the history before each."""
    sessions = case["sessions"]
    share = -(-len(filler) // len(sessions)) if filler else 0
    for number, session in enumerate(sessions):
        first = datetime.fromisoformat(session["date"])
        before = filler[number * share : (number + 1) * share]
        for place, conversation in enumerate(before):
            yield _moved(conversation, first - timedelta(hours=len(before) - place))
        yield Conversation(f"{case['id']}-{number}", session["messages"])


def _moved(conversation: Conversation, start: datetime) -> Conversation:
    """Return a conversation that begins at `start`, a message every five seconds."""
    times = [start + timedelta(seconds=5 * number) for number in range(len(conversation.messages))]
    messages = [
        {**message, "occurred_at": at.isoformat()}
        for message, at in zip(conversation.messages, times, strict=True)
    ]
    return Conversation(conversation.name, messages, MOST_AT_ONCE)


def _filler(path: Path, count: int) -> list[Conversation]:
    """Read `count` messages of two others, by session; the first of them is the user's part."""
    content = json.loads(gzip.decompress(path.read_bytes()))
    sessions: list[Conversation] = []
    for conv in content["convs"]:
        for session in conv["sessions"]:
            turns = [turn for turn in conv["turns"] if turn["s"] == session["id"]]
            messages = [
                {"role": _role(turn["sp"], conv["speakers"]), "content": turn["text"]}
                for turn in turns[:count]
            ]
            count -= len(messages)
            sessions.append(Conversation(f"history-{session['id']}", messages))
            if count <= 0:
                return sessions
    return sessions


def _role(speaker: str, speakers: Sequence[str]) -> str:
    return "user" if speaker == speakers[0] else "assistant"


def send(server: Installation, user: str, conversation: Conversation) -> str:
    """Open a session, send its messages in turn, and end it; returns its id."""
    body = {"user": user, "external_id": conversation.name}
    session: str = server.call("POST", "sessions", body)["id"]
    for start in range(0, len(conversation.messages), conversation.at_once):
        batch = {"messages": conversation.messages[start : start + conversation.at_once]}
        server.call("POST", f"sessions/{session}/events", batch)
    server.call("POST", f"sessions/{session}/end", {})
    return session


def _wait(server: Installation, operator: Installation, session: str) -> None:
    """Wait until a session is closed and no job of its organization is open but the upkeep."""
    while server.call("GET", f"sessions/{session}")["state"] != "closed":
        time.sleep(POLL_SECONDS)
    _wait_for_jobs(operator)


def _wait_for_jobs(operator: Installation) -> None:
    while _open_jobs(operator):
        time.sleep(POLL_SECONDS)


def _open_jobs(operator: Installation) -> int:
    rows = _pages(operator, "jobs?state=open")
    return sum(row["kind"] not in UPKEEP for row in rows)


def learned(server: Installation, user: str) -> dict[str, list[dict]]:
    """Return what is in force of a user, layer by layer, and the profile."""
    layers = {layer: _pages(server, f"memory/{layer}?user={user}") for layer in LEARNED}
    return layers | {"profile": [server.call("GET", f"users/{user}/profile")]}


def _pages(server: Installation, path: str) -> list[dict]:
    rows, cursor = [], ""
    while True:
        page = server.call("GET", f"{path}&limit=100{cursor}")
        rows += page["results"]
        if not page.get("next"):
            return rows
        cursor = f"&after={page['next']}"


def prompt(server: Installation, user: str, question: str) -> list[dict]:
    """Return the messages that an agent would send to its model with this question."""
    session = server.call("POST", "sessions", {"user": user})["id"]
    body = {"messages": [{"role": "user", "content": question}]}
    server.call("POST", f"sessions/{session}/events", body)
    context = server.call("POST", f"sessions/{session}/context", {"query": question})
    return context["messages"]


def _costs(operator: Installation) -> Counter[tuple[str, str]]:
    """Return the calls and the tokens of each purpose, under its name and what is counted."""
    costs = Counter[tuple[str, str]]()
    for row in operator.call("GET", "costs?by=purpose")["results"]:
        costs[row["key"], "calls"] = row["calls"]
        costs[row["key"], "tokens"] = row["input_tokens"] + row["output_tokens"]
    return costs


def _print_costs(
    costs: Mapping[tuple[str, str], int],
    cases: Sequence[dict],
    filler: Sequence[Conversation],
    out: Path,
) -> None:
    """Print and write what a message of a user took; that of the history is a message too."""
    own = [session["messages"] for case in cases for session in case["sessions"]]
    history = [conversation.messages for conversation in filler] * len(cases)
    count = sum(message["role"] == "user" for part in (*own, *history) for message in part)
    lines = [f"{count} messages of users in {len(cases)} dialogues"]
    for purpose in sorted({purpose for purpose, _ in costs}):
        calls, tokens = costs[purpose, "calls"], costs[purpose, "tokens"]
        lines.append(
            f"{purpose}: {calls / count:.2f} calls, {tokens / count:,.0f} tokens a message"
        )
    text = "\n".join(lines)
    (out / "costs.txt").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    sys.exit(main())
