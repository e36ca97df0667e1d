"""Lanes as values, built by hand or drawn by hypothesis."""

from collections.abc import Sequence

from hypothesis import strategies as st

from memory.windows import INJECTED, JOB, MODEL, TOOL, USER, LaneMeasure, ViewEvent


def user(seq: int, tokens: int = 10) -> ViewEvent:
    return ViewEvent(seq=seq, type=USER, tokens=tokens)


def model(seq: int, *calls: str, tokens: int = 10) -> ViewEvent:
    return ViewEvent(seq=seq, type=MODEL, tokens=tokens, calls=frozenset(calls))


def result(seq: int, call: str, tokens: int = 10) -> ViewEvent:
    return ViewEvent(seq=seq, type=TOOL, tokens=tokens, answers=call)


def injected(seq: int, tokens: int = 10) -> ViewEvent:
    return ViewEvent(seq=seq, type=INJECTED, tokens=tokens)


def job(seq: int, tokens: int = 10) -> ViewEvent:
    return ViewEvent(seq=seq, type=JOB, tokens=tokens)


def lane(*shown: ViewEvent, start_seq: int = 1, **fields) -> LaneMeasure:
    given = {"limit": 1_000, "fixed": 0, "calibration": 1.0} | fields
    last = max((one.seq for one in shown), default=0)
    return LaneMeasure(shown=shown, start_seq=start_seq, last_seq=last, **given)


@st.composite
def lanes(draw) -> LaneMeasure:
    """Draw a lane: calls with none, some or all of their results, whatever stands between them."""
    shown: list[ViewEvent] = []
    waiting: list[str] = []
    for seq in range(1, draw(st.integers(0, 14)) + 1):
        kind = draw(st.sampled_from(["user", "model", "call", "result", "injected", "job"]))
        tokens = draw(st.integers(1, 50))
        if kind == "call":
            calls = [f"c{seq}-{place}" for place in range(draw(st.integers(1, 2)))]
            waiting += calls
            shown.append(model(seq, *calls, tokens=tokens))
        elif kind == "result" and waiting:
            place = draw(st.integers(0, len(waiting) - 1))
            shown.append(result(seq, waiting.pop(place), tokens=tokens))
        else:
            make = {"user": user, "injected": injected, "job": job}.get(kind, model)
            shown.append(make(seq, tokens=tokens))
    return lane(*shown, fixed=draw(st.integers(0, 200)))


def seqs(groups: Sequence[Sequence[ViewEvent]]) -> list[list[int]]:
    return [[one.seq for one in group] for group in groups]
