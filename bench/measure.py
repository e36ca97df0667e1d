"""Time ways to do a thing against each other, and print what was found."""

import random
import statistics
import time
from collections.abc import Callable

ROUNDS, WARM = 60, 8
# What was shown so far, as rows of a table in Markdown.
ROWS = ["| what | p50 ms | p95 ms | ratio | goal |", "|---|---|---|---|---|"]


def interleave(ways: dict[str, Callable[[int], object]]) -> dict[str, list[float]]:
    """Run each way once a round, in random order; return milliseconds without the first rounds."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for n in range(ROUNDS + WARM):
        for name in random.sample(list(ways), len(ways)):
            start = time.perf_counter()
            ways[name](n)
            times[name].append((time.perf_counter() - start) * 1_000)
    return {name: found[WARM:] for name, found in times.items()}


def head() -> None:
    print(f"{'what':46s}{'p50 ms':>9s}{'p95 ms':>9s}{'ratio':>8s}  goal")


def show(what: str, times: list[float], against: list[float] | None = None, goal: str = "") -> None:
    p50, p95 = statistics.median(times), sorted(times)[int(0.95 * len(times))]
    ratio = f"{p50 / statistics.median(against):.2f}" if against else ""
    _show(what, f"{p50:.2f}", f"{p95:.2f}", ratio, goal)


def show_rates(what: str, many: float, one: float, goal: str = "") -> None:
    """Print two rates a second and their ratio."""
    _show(what, f"{many:.0f}/s", f"{one:.0f}/s", f"{many / one:.2f}", goal)


def show_plain(what: str, value: str, goal: str = "") -> None:
    _show(what, value, "", "", goal)


def _show(what: str, first: str, second: str, ratio: str, goal: str) -> None:
    print(f"{what:46s}{first:>9s}{second:>9s}{ratio:>8s}  {goal}", flush=True)
    ROWS.append(f"| {what.strip()} | {first} | {second} | {ratio} | {goal} |")
