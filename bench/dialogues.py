"""Labelled dialogues: read, imported through the API, asked through /recall, and scored."""

import gzip
import importlib.util
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType

from tqdm import tqdm

from bench.rig import Installation

METRICS = ("R@5", "R@10", "NDCG@10", "MRR", "R@500w", "R@1000w")
# Sets whose questions are labelled by session rather than by turn.
SESSIONS = {"realmem", "lme-mini"}
BATCH, MOST_AT_ONCE = 100, 1_000
LIMIT = 100


@dataclass(frozen=True, slots=True)
class Dialogues:
    """A set, or its shortest conversation alone; `name` is what it is imported under."""

    name: str
    source: str
    content: dict

    def shortest(self) -> "Dialogues":
        """Return the conversation of the fewest turns, with its questions."""
        conv = min(self.content["convs"], key=lambda conv: len(conv["turns"]))
        questions = [one for one in self.content["questions"] if one["conv"] == conv["id"]]
        content = self.content | {"convs": [conv], "questions": questions}
        name = self.source if len(self.content["convs"]) == 1 else f"{self.source}-{conv['id']}"
        return Dialogues(name, self.source, content)


@dataclass(frozen=True, slots=True)
class Imported:
    """The turn that each event is, and when each session ended here, by conversation and name."""

    turns: dict[str, str] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answers:
    """What was found for each question, best first; by what, and what was missing, how often."""

    ranked: dict[str, list]
    searched_by: Counter[str] = field(default_factory=Counter)
    degraded: Counter[str] = field(default_factory=Counter)


def read(folder: Path, names: Iterable[str] = ()) -> list[Dialogues]:
    """Return the sets of a folder, smallest first; all of them where no names are given."""
    wanted = set(names)
    files = sorted(folder.glob("*.dev.json.gz"), key=lambda path: path.stat().st_size)
    chosen = {path.name.split(".")[0]: path for path in files}
    if missing := wanted - chosen.keys():
        sys.exit(f"{folder} holds no set {', '.join(sorted(missing))}")
    return [
        Dialogues(name, name, json.loads(gzip.decompress(path.read_bytes())))
        for name, path in chosen.items()
        if not wanted or name in wanted
    ]


def bring_in(server: Installation, folder: Path, sets: Iterable[Dialogues]) -> dict[str, Imported]:
    """Import what is not there yet, and wait until no session waits for chunks or vectors."""
    known = {one.name: _import(server, folder, one) for one in sets}
    with tqdm(desc="chunks waiting for vectors", unit="", disable=None) as bar:
        while waiting := _waiting(server):
            bar.set_postfix_str(str(waiting))
            time.sleep(1)
    return known


def _import(server: Installation, folder: Path, dialogues: Dialogues) -> Imported:
    """Import a set once."""
    kept = folder / f"imported.{dialogues.name}.json"
    if kept.exists():
        return Imported(**json.loads(kept.read_text()))
    found, convs = Imported(), dialogues.content["convs"]
    count = sum(len(conv["turns"]) for conv in convs)
    with tqdm(total=count, desc=f"import {dialogues.name}", unit="turn", disable=None) as bar:
        for conv in convs:
            for session in conv["sessions"]:
                rows = [turn for turn in conv["turns"] if turn["s"] == session["id"]]
                user = f"{dialogues.name}/{conv['id']}"
                _import_session(server, user, session["id"], rows, found)
                bar.update(len(rows))
    kept.write_text(json.dumps(asdict(found)))
    return found


def _import_session(
    server: Installation, user: str, name: str, rows: list[dict], found: Imported
) -> None:
    body = {"user": user, "external_id": name}
    session = server.call("POST", "sessions", body)["id"]
    first, last = rows[:-MOST_AT_ONCE], rows[-MOST_AT_ONCE:]
    for start in range(0, len(first), BATCH):
        batch = first[start : start + BATCH]
        server.call("POST", f"sessions/{session}/events", {"messages": list(map(_message, batch))})
    sent = {"messages": list(map(_message, last)), "is_import": True}
    ended = server.call("POST", f"sessions/{session}/transcript", sent)
    found.turns.update(zip(_events(server, session), (turn["id"] for turn in rows), strict=True))
    found.ended[f"{user}/{name}"] = ended["ended_at"]


def _events(server: Installation, session: str) -> Iterator[str]:
    """Yield the ids of a session's events, in their order."""
    after = ""
    while after is not None:
        answer = server.call("GET", f"sessions/{session}/events?limit=200&after={after}")
        yield from (event["id"] for event in answer["results"])
        after = answer["next"]


def _message(turn: dict) -> dict:
    speaker = turn.get("sp") or "user"
    caption = f" [{turn['cap']}]" if turn.get("cap") else ""
    message = {"role": "assistant" if speaker.lower() == "assistant" else "user"}
    message |= {"content": turn["text"] + caption, "name": speaker}
    return message | ({"occurred_at": turn["ts"] + "Z"} if turn.get("ts") else {})


def _waiting(server: Installation) -> int:
    text = server.text("metrics")
    names = ("recollect_embedding_backlog", "recollect_sessions_closing")
    lines = [line.split() for line in text.splitlines() if line.startswith(names)]
    return sum(int(float(value)) for _, value in lines)


def ask(
    server: Installation,
    dialogues: Dialogues,
    known: Imported,
    *,
    as_of: bool = True,
) -> Answers:
    """Put every question; `as_of` those that arose in the middle of a history, as of then."""
    times = _times(dialogues, known) if as_of else {}
    answers = Answers({})
    questions = dialogues.content["questions"]
    for question in tqdm(questions, desc=f"ask {dialogues.name}", disable=None):
        body = {
            "query": question["text"][:1000],
            "user": f"{dialogues.name}/{question['conv']}",
            "limit": LIMIT,
        }
        if question["id"] in times:
            body["as_of"] = times[question["id"]]
        answer = server.call("POST", "recall", body)
        answers.searched_by[answer["searched_by"]] += 1
        answers.degraded.update(filter(None, [answer["degraded"]]))
        found = [
            [known.turns[event] for event in one["source"]["events"]] for one in answer["results"]
        ]
        answers.ranked[question["id"]] = [one[0] if len(one) == 1 else one for one in found]
    return answers


def _times(dialogues: Dialogues, known: Imported) -> dict[str, str]:
    """Return when each question arose that was asked in the middle of a history."""
    convs = dialogues.content["convs"]
    sessions = {conv["id"]: [one["id"] for one in conv["sessions"]] for conv in convs}
    times = {}
    for question in dialogues.content["questions"]:
        if question.get("as_of"):
            last = sessions[question["conv"]][question["as_of"] - 1]
            times[question["id"]] = known.ended[f"{dialogues.name}/{question['conv']}/{last}"]
    return times


def marks(scorer: ModuleType, dialogues: Dialogues, ranked: Mapping[str, list]) -> dict[str, float]:
    """Return each metric in percent, over the questions that have an answer."""
    level = "session" if dialogues.source in SESSIONS else "turn"
    rows = scorer.evaluate(dialogues.content, ranked, level)
    # Adversarial questions have no answer: the published rows leave them out.
    kept = [row for row in rows.values() if row["cat"] != "adversarial"]
    return {"questions": len(kept)} | {
        metric: 100 * scorer.mean(kept, metric) for metric in METRICS
    }


def scorer_of(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score", folder / "score.py")
    if spec is None or spec.loader is None or not (folder / "score.py").exists():
        sys.exit(f"{folder} holds no score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
