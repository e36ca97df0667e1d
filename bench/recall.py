"""How well memory is found again, end to end through the API, on labelled public dialogues.

    python -m bench.recall --data FOLDER [--sets locomo,realmem] [--profile calibrated --profile ranks]

Imports each conversation of FOLDER/*.dev.json.gz, waits for chunks and vectors, asks every question
through /recall, and scores with the scorer that lies beside the data.
"""

import argparse
import gzip
import importlib.util
import json
import os
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from types import ModuleType

from tqdm import tqdm

from bench.rig import Installation, installation

METRICS = ("R@5", "R@10", "NDCG@10", "MRR", "R@500w", "R@1000w")
# What the design sets for recall@5: without a model, and with the local one.
GOALS = {"locomo": (64.1, 64.6), "beam-100k": (35.4, 36.2), "realmem": (52.9, 60.4)}
# Sets whose questions are labelled by session rather than by turn.
SESSIONS = {"realmem", "lme-mini"}
BATCH = 100
LIMIT = 100


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="", help="comma-separated names; all by default")
    parser.add_argument("--profile", action="append", help="compare several (calibrated)")
    parser.add_argument(
        "--whole", action="store_true", help="ask of the whole history, not as of then"
    )
    parser.add_argument("--keep", type=Path, help="keep the installation here and reuse it")
    asked = parser.parse_args()
    scorer = _scorer(asked.data)
    wanted = set(filter(None, asked.sets.split(",")))
    files = sorted(asked.data.glob("*.dev.json.gz"), key=lambda path: path.stat().st_size)
    sets = {path.name.split(".")[0]: path for path in files}
    chosen = {name: path for name, path in sets.items() if not wanted or name in wanted}
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as temporary:
        folder = asked.keep or Path(temporary)
        folder.chmod(0o755) if folder.exists() else None
        profiles = asked.profile or ["calibrated"]
        _measure(folder, chosen, scorer, profiles, as_of=not asked.whole)


@dataclass(frozen=True, slots=True)
class Imported:
    """The turn that each event is, and when each session ended here, by conversation and name."""

    turns: dict[str, str] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)


def _measure(
    folder: Path, sets: dict[str, Path], scorer: ModuleType, profiles: list[str], *, as_of: bool
) -> None:
    import_with = {"RECOLLECT_WORKERS": str(max((os.cpu_count() or 2) - 1, 2))}
    data = {name: json.loads(gzip.decompress(path.read_bytes())) for name, path in sets.items()}
    with installation(folder, import_with) as server:
        known = {name: _import(server, folder, name, content) for name, content in data.items()}
        _wait(server)
    print(
        f"{'set':12s}{'embedder':10s}{'profile':12s}"
        + "".join(f"{m:>9s}" for m in METRICS)
        + "  goal R@5"
    )
    for embedder, profile in product(("hashing", "local"), profiles):
        own = {"RECOLLECT_EMBEDDER": embedder, "RECOLLECT_RANKING_PROFILE": profile}
        with installation(folder, own) as server:
            for name, content in data.items():
                times = _times(name, content, known[name]) if as_of else {}
                ranked = _ask(server, name, content, known[name].turns, times)
                _report(scorer, name, content, ranked, embedder, profile)


def _import(server: Installation, folder: Path, name: str, content: dict) -> Imported:
    """Import a set once."""
    kept = folder / f"imported.{name}.json"
    if kept.exists():
        return Imported(**json.loads(kept.read_text()))
    found = Imported()
    count = sum(len(conv["turns"]) for conv in content["convs"])
    with tqdm(total=count, desc=f"import {name}", unit="turn", disable=None) as bar:
        for conv in content["convs"]:
            for session in conv["sessions"]:
                rows = [turn for turn in conv["turns"] if turn["s"] == session["id"]]
                _import_session(server, f"{name}/{conv['id']}", session["id"], rows, found)
                bar.update(len(rows))
    kept.write_text(json.dumps(asdict(found)))
    return found


def _import_session(
    server: Installation, user: str, name: str, rows: list[dict], found: Imported
) -> None:
    body = {"user": user, "external_id": name}
    session = server.call("POST", "sessions", body)["id"]
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        sent = {"messages": [_message(turn) for turn in batch]}
        events = server.call("POST", f"sessions/{session}/events", sent)["events"]
        found.turns.update(
            {event["id"]: turn["id"] for event, turn in zip(events, batch, strict=True)}
        )
    ended = server.call("POST", f"sessions/{session}/end", {})
    found.ended[f"{user}/{name}"] = ended["ended_at"]


def _message(turn: dict) -> dict:
    speaker = turn.get("sp") or "user"
    caption = f" [{turn['cap']}]" if turn.get("cap") else ""
    message = {"role": "assistant" if speaker.lower() == "assistant" else "user"}
    message |= {"content": turn["text"] + caption, "name": speaker}
    return message | ({"occurred_at": turn["ts"] + "Z"} if turn.get("ts") else {})


def _wait(server: Installation) -> None:
    """Wait until no session is waiting for chunks or vectors."""
    with tqdm(desc="chunks waiting for vectors", unit="", disable=None) as bar:
        while waiting := _waiting(server):
            bar.set_postfix_str(str(waiting))
            time.sleep(2)


def _waiting(server: Installation) -> int:
    text = server.text("metrics")
    names = ("recollect_embedding_backlog", "recollect_sessions_closing")
    lines = [line.split() for line in text.splitlines() if line.startswith(names)]
    return sum(int(float(value)) for _, value in lines)


def _times(name: str, content: dict, known: Imported) -> dict[str, str]:
    """Return when each question arose that was asked in the middle of a history."""
    sessions = {conv["id"]: [one["id"] for one in conv["sessions"]] for conv in content["convs"]}
    times = {}
    for question in content["questions"]:
        if question.get("as_of"):
            last = sessions[question["conv"]][question["as_of"] - 1]
            times[question["id"]] = known.ended[f"{name}/{question['conv']}/{last}"]
    return times


def _ask(
    server: Installation, name: str, content: dict, turns: dict[str, str], times: dict[str, str]
) -> dict[str, list]:
    ranked = {}
    for question in tqdm(content["questions"], desc=f"ask {name}", disable=None):
        body = {
            "query": question["text"][:1000],
            "user": f"{name}/{question['conv']}",
            "limit": LIMIT,
        }
        if question["id"] in times:
            body["as_of"] = times[question["id"]]
        results = server.call("POST", "recall", body)["results"]
        found = [[turns[event] for event in one["source"]["events"]] for one in results]
        ranked[question["id"]] = [one[0] if len(one) == 1 else one for one in found]
    return ranked


def _report(
    scorer: ModuleType, name: str, content: dict, ranked: dict, embedder: str, profile: str
) -> None:
    level = "session" if name in SESSIONS else "turn"
    rows = scorer.evaluate(content, ranked, level)
    # Adversarial questions have no answer: the published rows leave them out.
    kept = [row for row in rows.values() if row["cat"] != "adversarial"]
    values = "".join(f"{100 * scorer.mean(kept, metric):9.1f}" for metric in METRICS)
    goal = GOALS.get(name)
    wanted = f"  {goal[embedder == 'local']:.1f}" if goal and profile == "calibrated" else ""
    print(f"{name:12s}{embedder:10s}{profile:12s}{values}{wanted}", flush=True)


def _scorer(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score", folder / "score.py")
    if spec is None or spec.loader is None or not (folder / "score.py").exists():
        sys.exit(f"{folder} holds no score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
