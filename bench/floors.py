"""What recall may not fall below: a file of floors, by set, state and metric, that only go up."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

FLOORS = Path(__file__).parent / "floors.json"
HELD = ("R@5", "NDCG@10", "R@1000w")

Marks = Mapping[str, Mapping[str, Mapping[str, float]]]
Floors = dict[str, dict[str, dict[str, float]]]


def read(path: Path = FLOORS) -> Floors:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def below(floors: Marks, measured: Marks) -> Iterator[str]:
    """Yield a line for each mark that is below its floor; a floor that was not measured is none."""
    for name, state, metric, floor in _each(floors):
        mark = measured.get(name, {}).get(state, {}).get(metric)
        if mark is not None and mark < floor:
            yield f"{name}, {state}: {metric} is {mark:.2f}, and its floor {floor:.2f}"


def raised(floors: Marks, measured: Marks) -> Floors:
    """Return the floors, each as high as it was or as what was measured allows, and none lower.

    A floor is what was measured less half a question: equal scores may fall the other way in
    another import, which moves the part of one question's evidence and not the whole of it.
    """
    higher: Floors = {}
    for name, state, metric, floor in _each(floors):
        higher.setdefault(name, {}).setdefault(state, {})[metric] = floor
    for name, states in measured.items():
        for state, marks in states.items():
            held = higher.setdefault(name, {}).setdefault(state, {})
            for metric in HELD:
                reached = round(marks[metric] - 50 / marks["questions"], 2)
                held[metric] = max(held.get(metric, 0.0), reached)
    return higher


def write(floors: Floors, path: Path = FLOORS) -> None:
    path.write_text(json.dumps(floors, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _each(floors: Marks) -> Iterator[tuple[str, str, str, float]]:
    for name, states in floors.items():
        for state, marks in states.items():
            for metric, floor in marks.items():
                yield name, state, metric, floor
