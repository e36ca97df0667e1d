"""How well memory is found again, end to end through the API, on labelled public dialogues.

    python -m bench.recall --data FOLDER [--sets locomo,realmem] [--profile calibrated --profile ranks]
    python -m bench.recall --data FOLDER --states [--strict] [--write]
    python -m bench.recall --data FOLDER --quick [--raise-floors] [--write]

Imports each conversation of FOLDER/*.dev.json.gz, waits for chunks and vectors, asks every question
through /recall, and scores with the scorer that lies beside the data.

--states  asks while not every chunk has a vector, and compares with words alone
--quick   one conversation of LoCoMo, and MADial; ends with 1 below a floor of bench/floors.json
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from bench import floors
from bench.code_digest import digest, digests
from bench.dialogues import METRICS, Dialogues, Imported, ask, bring_in, marks, read, scorer_of
from bench.figures import ROOT, Table
from bench.measured import FILLING
from bench.recall_tables import (
    EMBEDDERS,
    Marks,
    quick_table,
    recall_table,
    state_table,
)
from bench.rig import Installation, installation
from bench.states import STATES, vectors

QUICK = ("locomo", "madial")
# A state may lose this much R@5 against words alone, in points, before it is a defect.
MOST_LOST = 0.5
# The model did not answer in time: the row would be of words in part.
LATE = "provider_unavailable"


def main() -> int:
    """Return 1 when recall is below a floor, or a state is worse than words alone."""
    asked = _arguments()
    scorer = scorer_of(asked.data)
    sets = read(asked.data, filter(None, asked.sets.split(",")))
    if asked.one:
        sets = [dialogues.shortest() for dialogues in sets]
    with _folder(asked.keep, writes=asked.write) as folder:
        if asked.quick:
            return _quick(folder, sets, scorer, writes=asked.write, raises=asked.raise_floors)
        if asked.states:
            return _states(folder, sets, scorer, writes=asked.write, strict=asked.strict)
        return _formulas(folder, sets, scorer, asked)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="", help="comma-separated names; all by default")
    parser.add_argument("--one", action="store_true", help="the shortest conversation of each set")
    parser.add_argument("--profile", action="append", help="compare several (calibrated)")
    parser.add_argument(
        "--whole", action="store_true", help="ask of the whole history, not as of then"
    )
    parser.add_argument(
        "--states", action="store_true", help="with vectors missing, state by state"
    )
    parser.add_argument(
        "--strict", action="store_true", help=f"end with 1 where a state loses {MOST_LOST} to words"
    )
    parser.add_argument("--quick", action="store_true", help="hold the floors, in minutes")
    parser.add_argument(
        "--raise-floors", action="store_true", help="raise them to what --quick measures"
    )
    parser.add_argument("--write", action="store_true", help="write the table of docs/figures.md")
    parser.add_argument("--keep", type=Path, help="keep the installation here and reuse it")
    asked = parser.parse_args()
    if asked.write and (asked.sets or asked.one or asked.whole):
        parser.error("--write needs every set, whole, asked as of then")
    if asked.quick:
        asked.sets, asked.one = asked.sets or ",".join(QUICK), True
    return asked


@contextmanager
def _folder(kept: Path | None, *, writes: bool) -> Iterator[Path]:
    """Yield the folder of the installation. Raises SystemExit where other code has filled it."""
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as temporary:
        folder = kept or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        # The database's user must be able to walk in.
        folder.chmod(0o755)
        code, noted = digest(digests(ROOT, FILLING)), folder / "imported.code"
        if any(folder.glob("imported.*.json")):
            if not noted.exists() or noted.read_text() != code:
                why = f"{folder} was filled by other code than this"
                sys.exit(f"{why}; take a new one") if writes else print(why, file=sys.stderr)
        else:
            noted.write_text(code)
        yield folder


@contextmanager
def _settled(
    folder: Path, sets: Sequence[Dialogues]
) -> Iterator[tuple[Installation, Mapping[str, Imported]]]:
    """Run an installation into which everything is imported, and in which nothing waits."""
    workers = {"RECOLLECT_WORKERS": str(max((os.cpu_count() or 2) - 1, 2))}
    with installation(folder, workers) as server:
        yield server, bring_in(server, folder, sets)


def _measured(
    server: Installation,
    scorer: ModuleType,
    dialogues: Dialogues,
    known: Imported,
    *,
    by_words: bool,
    as_of: bool = True,
) -> Marks:
    """Ask and score. Raises SystemExit where another way was searched than the row will say."""
    answers = ask(server, dialogues, known, as_of=as_of)
    others = answers.searched_by.keys() - {"words"}
    if (by_words and others) or LATE in answers.degraded:
        ways = dict(answers.searched_by | answers.degraded)
        sys.exit(f"{dialogues.name}: not every question was searched alike: {ways}")
    if answers.degraded:
        print(f"{dialogues.name}: degraded {dict(answers.degraded)}", file=sys.stderr)
    return marks(scorer, dialogues, answers.ranked)


def _formulas(
    folder: Path, sets: Sequence[Dialogues], scorer: ModuleType, asked: argparse.Namespace
) -> int:
    """Print each set without a model and with the local one, under each profile."""
    profiles = asked.profile or ["calibrated"]
    table = Table("recall") if asked.write and profiles == ["calibrated"] else None
    with _settled(folder, sets) as (_, known):
        pass
    print(f"{'set':20s}{'embedder':10s}{'profile':12s}" + "".join(f"{m:>9s}" for m in METRICS))
    rows: dict[tuple[str, str, str], Marks] = {}
    for embedder, setting in EMBEDDERS.items():
        for profile in profiles:
            own = {"RECOLLECT_EMBEDDER": setting, "RECOLLECT_RANKING_PROFILE": profile}
            with installation(folder, own) as server:
                for dialogues in sets:
                    marked = _measured(
                        server,
                        scorer,
                        dialogues,
                        known[dialogues.name],
                        by_words=embedder == "none",
                        as_of=not asked.whole,
                    )
                    rows[dialogues.name, embedder, profile] = marked
                    print(
                        f"{dialogues.name:20s}{embedder:10s}{profile:12s}" + _numbers(marked),
                        flush=True,
                    )
    if table:
        table.write(recall_table(rows))
    return 0


def _numbers(marked: Marks) -> str:
    return "".join(f"{marked[metric]:9.1f}" for metric in METRICS)


def _states(
    folder: Path, sets: Sequence[Dialogues], scorer: ModuleType, *, writes: bool, strict: bool
) -> int:
    """Print R@5 of each set in each state of its vectors, and how far that is from words alone."""
    table = Table("recall-states") if writes else None
    marked: dict[str, dict[str, float]] = {dialogues.name: {} for dialogues in sets}
    with _settled(folder, sets) as (_, known):
        pass
    for name, dialogues, found in _in_states(folder, sets, known, scorer):
        marked[dialogues.name][name] = found["R@5"]
    rows = state_table(marked)
    print(rows)
    if table:
        table.write(rows)
    worse = [
        f"{name}, {state}: {mark - states['words']:+.1f} against words"
        for name, states in marked.items()
        for state, mark in states.items()
        if mark < states["words"] - MOST_LOST
    ]
    print("\n".join(worse) if worse else f"No state loses more than {MOST_LOST} to words.")
    return 1 if strict and worse else 0


def _in_states(
    folder: Path, sets: Sequence[Dialogues], known: Mapping[str, Imported], scorer: ModuleType
) -> Iterator[tuple[str, Dialogues, Marks]]:
    """Yield the marks of each set in each state; the formula is a setting of an installation."""
    for profile in dict.fromkeys(state.profile for state in STATES.values()):
        own = {"RECOLLECT_RANKING_PROFILE": profile}
        with installation(folder, own) as server, vectors(folder) as kept:
            for name, state in STATES.items():
                if state.profile != profile:
                    continue
                left = kept.become(state)
                print(f"{name}: {state.what} ({left:,} vectors)", file=sys.stderr)
                for dialogues in sets:
                    mine, by_words = known[dialogues.name], profile == "words"
                    found = _measured(server, scorer, dialogues, mine, by_words=by_words)
                    yield name, dialogues, found


def _quick(
    folder: Path, sets: Sequence[Dialogues], scorer: ModuleType, *, writes: bool, raises: bool
) -> int:
    """Measure the settled default with the model and without it, and hold the floors."""
    began, table = time.monotonic(), Table("recall-quick") if writes else None
    measured: dict[str, dict[str, Marks]] = {dialogues.name: {} for dialogues in sets}

    def measure(server: Installation, state: str) -> None:
        for dialogues in sets:
            mine = known[dialogues.name]
            found = _measured(server, scorer, dialogues, mine, by_words=state == "none")
            measured[dialogues.name][state] = found
            print(f"{dialogues.name:20s}{state:10s}{_numbers(found)}", flush=True)

    print(f"{'set':20s}{'embedder':10s}" + "".join(f"{metric:>9s}" for metric in METRICS))
    with _settled(folder, sets) as (server, known):
        measure(server, "local")
    with installation(folder, {"RECOLLECT_EMBEDDER": EMBEDDERS["none"]}) as server:
        measure(server, "none")
    if table:
        table.write(quick_table(measured))
    old = floors.read()
    broken = list(floors.below(old, measured))
    if raises:
        floors.write(floors.raised(old, measured))
    print("\n".join(broken) if broken else "Every floor holds.")
    print(f"{time.monotonic() - began:.0f} seconds")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
