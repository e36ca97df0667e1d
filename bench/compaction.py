"""Whether a long conversation survives its folding: one of a public set, under each strategy.

    python -m bench.compaction --data FOLDER [--set locomo] [--turns 600] [--contexts 4000 8000]
                               [--max-tokens N] [--write]

Replays the first conversation that is long enough, turn by turn, through agents of several contexts
whose memory blocks are full: the user's message is stored, the next prompt is built through the API,
the model's reply is stored, and the jobs are done. Ends with 1 when something promised does not hold.
"""

import argparse
import gzip
import json
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
os.environ.setdefault("RECOLLECT_EMBEDDER", "hashing")
os.environ.setdefault("RECOLLECT_CHAT", "offline")
os.environ.setdefault("RECOLLECT_LOG_LEVEL", "ERROR")
django.setup()

import orjson
from django.conf import settings
from django.core.management import call_command
from django.utils.timezone import now
from rest_framework.test import APIClient
from tqdm import tqdm

from accounts.keys import issue_key
from accounts.models import Agent, Owner
from accounts.owners import resolve_owner
from accounts.setup import first_run
from bench.drawing import Curve, draw
from bench.figures import ROOT, Table
from consolidation.compaction import job as folding
from consolidation.compaction.apply import apply_run
from consolidation.compaction.ask import CompactionReply
from consolidation.compaction.strategies.registry import STRATEGIES
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from consolidation.models import CompactionRun
from knowledge.models import Entry, SavedFact, Scaffold, UserNarrative
from knowledge.notes.store import find_entry
from knowledge.saved_facts.save import NewFact, save_facts
from knowledge.workspace.learnings import append_correction
from memory.budget import estimate_message
from memory.events import verify_chain
from memory.messages import text_of
from memory.models import Chunk, CompactMarker, Event, LaneWindow, Session
from recall.prompt.account import PROMPT_SHARE

CONTEXTS = (4_000, 8_000, 16_000, 128_000)
# A budget of the caller's, far below the last of the contexts.
MAX_TOKENS = 6_000
PICTURED = 16_000
# What is promised of each replay.
MOST_FOLDS_PER_100_TURNS = 8
LEAST_PREFIX = 0.8
# The strategy that folds on request alone is asked from this share of the context on.
ASK_AT = 0.8
JOB_ROUNDS = 20
# By the key of their run.
REPLIES: dict[int, CompactionReply] = {}
PICTURE = ROOT / "docs" / "compaction.svg"


@dataclass(slots=True)
class Replay:
    """One conversation under one strategy, and what went on."""

    strategy: str
    context: int
    max_tokens: int | None
    session: Session
    sent: list[str] = field(default_factory=list)
    prompts: list[int] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)
    # Turns after which something had been folded.
    folds: list[int] = field(default_factory=list)
    # The runs that were looked at, and what they had found: values in order, and the last of a key.
    seen: set[int] = field(default_factory=set)
    values: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    # The last prompt as bytes, and of each pair of prompts the share that stayed.
    last: bytes = b""
    prefixes: list[float] = field(default_factory=list)
    # Prompts that named events without room, and how many events they named.
    named: list[int] = field(default_factory=list)
    unaccounted: int = 0

    @property
    def name(self) -> str:
        limit = f", max_tokens {self.max_tokens:,}" if self.max_tokens else ""
        return f"{self.strategy}, {self.context:,}{limit}"

    @property
    def budget(self) -> int:
        return self.max_tokens or int(self.context * PROMPT_SHARE)

    def expect(self, holds: object, what: str) -> None:
        if not holds:
            self.broken.append(f"{self.name}, turn {len(self.sent)}: {what}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", default="locomo", help="the set that the conversation is of")
    parser.add_argument("--turns", type=int, default=600)
    parser.add_argument("--contexts", type=int, nargs="*", default=CONTEXTS)
    parser.add_argument(
        "--max-tokens", type=int, default=MAX_TOKENS, help="of the last context; 0: none"
    )
    parser.add_argument("--strategies", nargs="*", default=[*STRATEGIES])
    parser.add_argument(
        "--write", action="store_true", help="write table and picture of docs/figures.md"
    )
    asked = parser.parse_args()
    table = Table("compaction") if asked.write else None
    turns = read(asked.data / f"{asked.set}.dev.json.gz", asked.turns)
    settings.ALLOWED_HOSTS.append("testserver")
    call_command("migrate", verbosity=0)
    first_run()
    agent = Agent.objects.get()
    client = client_of(agent)
    wanted: list[tuple[int, int | None]] = [(context, None) for context in asked.contexts]
    if asked.max_tokens:
        wanted.append((asked.contexts[-1], asked.max_tokens))
    replays = [
        replay(client, strategy, turns, context, most)
        for context, most in wanted
        for strategy in asked.strategies
    ]
    rows = report(replays)
    if table:
        drawn = [one for one in replays if one.context == PICTURED]
        curves = [Curve(one.strategy, one.prompts, one.folds) for one in drawn]
        PICTURE.write_text(draw(curves, budget=drawn[0].budget, context=PICTURED))
        table.write(rows)
    broken = [fault for one in replays for fault in one.broken]
    print("\n".join(broken[:40]) if broken else "Every promise held after every turn.")
    sys.exit(1 if broken else 0)


def read(path: Path, count: int) -> list[dict[str, str]]:
    """Return the sessions of one conversation, joined to one of `count` turns."""
    data = json.loads(gzip.decompress(path.read_bytes()))
    conversation = next((c for c in data["convs"] if len(c["turns"]) >= count), None)
    if conversation is None:
        sys.exit(f"{path.name} holds no conversation of {count} turns")
    user = conversation["turns"][0]["sp"]
    return [
        {"role": "user" if turn["sp"] == user else "assistant", "content": turn["text"]}
        for turn in conversation["turns"][:count]
    ]


def client_of(agent: Agent) -> APIClient:
    key = issue_key(organization=agent.organization, agent=agent, actor="bench").text
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client


def replay(
    client: APIClient,
    strategy: str,
    turns: Sequence[dict[str, str]],
    context: int,
    max_tokens: int | None,
) -> Replay:
    """Send a conversation as an agent does, and look after every turn whether all is kept."""
    Agent.objects.update(context_tokens=context)
    user = f"{strategy}-{context}-{max_tokens}"
    fill_memory(resolve_owner(agent=Agent.objects.get(), user=user))
    opened = call(client, "sessions", {"user": user, "strategy": strategy})
    sessions = Session.objects.select_related("owner__agent__organization")
    found = Replay(strategy, context, max_tokens, sessions.get(pk=opened["id"]))
    for turn in tqdm(turns, desc=found.name, unit="turn", disable=None):
        call(client, f"sessions/{found.session.pk}/events", {"messages": [turn]})
        found.sent.append(turn["content"])
        if turn["role"] == "user":
            ask(client, found)
        do_jobs()
        look(found)
    compare_log(found)
    call(client, f"sessions/{found.session.pk}/end", {})
    do_jobs()
    look_at_end(found)
    return found


def fill_memory(owner: Owner) -> None:
    """Give an owner more of everything remembered than the smallest contexts have room for."""
    UserNarrative.objects.create(owner=owner, text="Alice bakes bread every day of the week. " * 60)
    data = {f"key {n}": {"value": f"what is known of {n}"} for n in range(200)}
    Scaffold.objects.create(owner=owner, data=data)
    facts = [NewFact(f"place {n}", f"Shelf {n} of the cellar") for n in range(60)]
    save_facts(owner=owner, facts=facts, session=None, source="tool")
    for n in range(10):
        append_correction(owner=owner, at=now(), original=f"word {n}", correction=f"say {n}")


def call(client: APIClient, path: str, body: object) -> dict:
    answer = client.generic(
        "POST", f"/api/v1/{path}", orjson.dumps(body), content_type="application/json"
    )
    if answer.status_code >= 300:
        sys.exit(f"{path} answered {answer.status_code}: {answer.content!r}")
    return orjson.loads(answer.content)


def ask(client: APIClient, found: Replay) -> None:
    """Build the next prompt; where nothing folds by itself, ask for a fold when it is due."""
    start = time.perf_counter()
    body = {"max_tokens": found.max_tokens} if found.max_tokens else {}
    prompt = call(client, f"sessions/{found.session.pk}/context", body)
    found.milliseconds.append((time.perf_counter() - start) * 1_000)
    counted = sum(estimate_message(text_of(message)) for message in prompt["messages"])
    found.prompts.append(prompt["tokens"])
    found.expect(counted <= prompt["tokens"], f"{counted} tokens are said to be {prompt['tokens']}")
    found.expect(counted <= found.budget, f"the prompt has {counted} tokens")
    latest = [message["content"] for message in prompt["messages"] if message["role"] == "user"]
    found.expect(latest[-1:] == found.sent[-1:], "the user's latest words are not the last")
    account(found, prompt)
    is_archive = found.strategy == Session.Strategy.ARCHIVE
    if is_archive and prompt["tokens"] >= ASK_AT * found.budget / PROMPT_SHARE:
        call(client, f"sessions/{found.session.pk}/compact", {})


def account(found: Replay, prompt: dict) -> None:
    """Count the events that are in no part of the prompt, no fold and no `left_out`."""
    named = [one for one in prompt["left_out"] if one["store"] == "events"]
    without = {seq for one in named for seq in range(one["first"], one["last"] + 1)}
    markers = CompactMarker.objects.filter(session=found.session, lane="edge")
    folded = {seq for marker in markers for seq in marker.folded}
    rest = Counter(
        found.sent[seq - 1] for seq in range(1, len(found.sent) + 1) if seq not in folded | without
    )
    spoken = Counter(one["content"] for one in prompt["messages"] if one["role"] != "system")
    found.unaccounted += (rest - spoken).total()
    found.expect(not rest - spoken, f"{(rest - spoken).total()} events are unaccounted for")
    found.named.append(len(without))
    whole = orjson.dumps([prompt["tools"], prompt["messages"]])
    if found.last:
        pairs = enumerate(zip(found.last, whole, strict=False))
        same = next((place for place, (old, new) in pairs if old != new), len(found.last))
        found.prefixes.append(same / len(found.last))
    found.last = whole


def do_jobs() -> None:
    for _ in range(JOB_ROUNDS):
        due = queue.take(100)
        for job in due:
            run_job(job)
        if not due:
            return


def look(found: Replay) -> None:
    """Check what must hold between any two turns."""
    for run in CompactionRun.objects.filter(session=found.session).order_by("pk"):
        if run.pk not in found.seen:
            found.seen.add(run.pk)
            found.expect(run.state == CompactionRun.State.APPLIED, f"a fold {run.error_code}")
            take_over(found, run)
    window = LaneWindow.objects.get(session=found.session, lane="edge")
    view = {*window.kept, *range(window.start_seq, window.last_seq + 1)}
    markers = list(CompactMarker.objects.filter(session=found.session, lane="edge"))
    folded = [seq for marker in markers for seq in marker.folded]
    found.expect(not view & set(folded), "an event is shown and folded")
    found.expect(view | set(folded) == set(range(1, len(found.sent) + 1)), "an event is in neither")
    found.expect(len(folded) == len(set(folded)), "an event was folded twice")
    for marker in markers[-1:]:
        archive = find_entry(owner=found.session.owner, name=marker.archive_name)
        found.expect(archive, "the latest marker names no archive")


def take_over(found: Replay, run: CompactionRun) -> None:
    """Note what a compaction has found, and check that it is there now that its events have gone."""
    reply = REPLIES.pop(run.pk, None)
    new = [fact for piece in reply.facts for fact in piece] if reply else []
    found.values += [fact["value"] for fact in new]
    found.facts |= {fact["key"]: fact["value"] for fact in new}
    if run.folded:
        found.folds.append(len(found.prompts))
    lost = found.facts.items() - dict(saved(found)).items()
    found.expect(not lost, f"{len(lost)} facts are not saved")


def noting(job: queue.Attempt, run: CompactionRun, reply: CompactionReply) -> None:
    """Keep what a run was answered: its row lets go of it once it is applied."""
    REPLIES[run.pk] = reply
    apply_run(job, run, reply)


folding.apply_run = noting


def saved(found: Replay) -> list[tuple[str, str]]:
    return list(SavedFact.objects.filter(owner=found.session.owner).values_list("key", "value"))


def compare_log(found: Replay) -> None:
    events = Event.objects.filter(session=found.session, lane="edge").order_by("seq")
    stored = [text_of(event.content) for event in events]
    found.expect(stored == found.sent, f"{len(stored)} events are stored, not as sent")
    found.expect(not verify_chain(found.session), "the chain is broken")


def look_at_end(found: Replay) -> None:
    owner = found.session.owner
    names = set(
        CompactMarker.objects.filter(session=found.session).values_list("archive_name", flat=True)
    )
    found.expect(found.values or not names, "no fact was found in what was folded")
    found.expect(all(find_entry(owner=owner, name=name) for name in names), "an archive is missing")
    found.session.refresh_from_db()
    found.expect(found.session.state == Session.State.CLOSED, "the session is not closed")
    found.expect(found.session.tier == Session.Tier.MID_TERM, "the session is not in mid-term")
    spans = Chunk.objects.filter(session=found.session).values_list("first_seq", "last_seq")
    covered = {seq for first, last in spans for seq in range(first, last + 1)}
    found.expect(covered >= set(range(1, len(found.sent) + 1)), "an event is in no chunk")


def report(replays: Sequence[Replay]) -> str:
    """Print and return a table with a row for each replay."""
    log = sum(map(estimate_message, replays[0].sent))
    print(f"{len(replays[0].sent)} turns, {log:,} tokens\n")
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
    lines += [f"| {' | '.join(cells(one))} |" for one in replays]
    print("\n".join(lines) + "\n")
    return "\n".join(lines)


COLUMNS = (
    "strategy, context",
    "unaccounted",
    "named as left out, prompts / most events",
    "folds per 100 turns",
    "prefix that stayed",
    "largest prompt / budget",
    "facts found / keys / with their last value",
    "shown + folded",
    "`/context` p50 / p95, ms",
)


def cells(one: Replay) -> tuple[str, ...]:
    session = one.session
    markers = CompactMarker.objects.filter(session=session)
    archives = Entry.objects.filter(owner=session.owner, kind=Entry.Kind.ARCHIVE).count()
    one.expect(markers.count() == archives == len(one.folds), "markers, archives, folds differ")
    retrievable = len(one.facts.items() & dict(saved(one)).items())
    folded = sum(len(marker.folded) for marker in markers)
    folds = 100 * len(one.folds) / len(one.sent)
    one.expect(folds <= MOST_FOLDS_PER_100_TURNS, f"{folds:.1f} folds per 100 turns")
    prefix = statistics.mean(one.prefixes)
    one.expect(prefix >= LEAST_PREFIX, f"{prefix:.2f} of the prefix stays")
    p95 = sorted(one.milliseconds)[int(0.95 * len(one.milliseconds))]
    return (
        one.name,
        str(one.unaccounted),
        f"{sum(map(bool, one.named))} of {len(one.named)} / {max(one.named)}",
        f"{folds:.1f}",
        f"{prefix:.0%}",
        f"{max(one.prompts):,} / {one.budget:,}",
        f"{len(one.values)} / {len(one.facts)} / {retrievable}",
        f"{len(one.sent) - folded} + {folded}",
        f"{statistics.median(one.milliseconds):.0f} / {p95:.0f}",
    )


if __name__ == "__main__":
    main()
