"""What becomes of each leaf of the scaffold: taken, kept as it is, or corrected (pure)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from consolidation.profile.leaves.contradict import are_contrary, newer_wins
from consolidation.profile.leaves.merge import merged
from consolidation.profile.leaves.sides import Observed, Side, evidence_of, side_of
from extraction.rules.profile_cues import claims
from knowledge.profile.pointers import Leaves, leaves, meets
from ranking.passages import sentences
from ranking.tokens import tokens

Is = Callable[[str, object], bool]


class Missing:
    """There is nothing under this pointer."""


MISSING = Missing()


@dataclass(frozen=True, slots=True)
class Known:
    """The scaffold as it is, as the model was shown it, and what speaks for each leaf of it.

    `is_buried` says whether the person has had a value deleted.
    """

    leaves: Leaves
    shown: Leaves
    sides: Mapping[str, Side]
    is_buried: Is


@dataclass(frozen=True, slots=True)
class Contrary:
    """Two sides of a leaf, and the rule by which one of them won; `is_overruled` against the model."""

    path: str
    kept: Side
    lost: Side
    rule: str
    is_overruled: bool = False


@dataclass(slots=True)
class Decision:
    """`changed` are the new values by pointer, MISSING for what goes; `borne_out` stay as they are."""

    changed: dict[str, Side] = field(default_factory=dict)
    borne_out: dict[str, Side] = field(default_factory=dict)
    contraries: list[Contrary] = field(default_factory=list)


def decide(
    known: Known,
    patch: Mapping[str, object],
    events: Sequence[Observed],
    data: Mapping[str, object],
) -> Decision:
    """Return what a patch does to the scaffold `data`, by the rules. There is at least one event."""
    target = leaves(merged(data, patch))
    edited = [path for path in known.leaves | known.shown if _differs(path, known)]
    rivals = _rivals(events)
    made = Decision()
    for path in sorted(known.leaves.keys() | target.keys()):
        # What the person changed meanwhile is theirs.
        if not meets(path, edited):
            new = _without_buried(known, path, target.get(path, MISSING))
            _leaf(made, known, path, new, events, rivals.get(path.casefold(), ()))
    _drop_what_does_not_fit(made, known)
    return made


def _leaf(
    made: Decision,
    known: Known,
    path: str,
    new: object,
    events: Sequence[Observed],
    rivals: Sequence[tuple[str, Observed]],
) -> None:
    old = known.leaves.get(path, MISSING)
    best = _first_round(made, known, path, old, new, events)
    for value, event in rivals:
        best = _against(made, known, path, best, value, event)
    if best is None or best.value == old:
        _bear_out(made, known, path, old, events)
    else:
        made.changed[path] = best


def _first_round(
    made: Decision, known: Known, path: str, old: object, new: object, events: Sequence[Observed]
) -> Side | None:
    """Return the side that holds of the old value and the model's; None for neither."""
    before = known.sides.get(path)
    if new == old:
        return before
    side = _new_side(path, old, new, events)
    if before is None or not are_contrary(old, new):
        return side
    wins, rule = newer_wins(before, side)
    kept, lost = (side, before) if wins else (before, side)
    made.contraries.append(Contrary(path, kept, lost, rule.value, not wins))
    return kept


def _new_side(path: str, old: object, new: object, events: Sequence[Observed]) -> Side:
    shown = old if isinstance(new, Missing) else new
    side = side_of(path, shown, events)
    return Side(
        new, side.channel, side.is_correction, side.observed_at, side.events, side.is_quoted
    )


def _against(
    made: Decision, known: Known, path: str, best: Side | None, value: str, event: Observed
) -> Side | None:
    """Return what holds once an observation that plainly says another value is heard.

    The model's pick stands unless the observation wins by a rule.
    """
    said = best.value if best else MISSING
    if not isinstance(said, str) or tokens(said) == tokens(value) or known.is_buried(path, value):
        return best
    assert best is not None  # noqa: S101 - a value has a side
    rival = side_of(path, value, [event])
    stands, rule = newer_wins(rival, best)
    if stands or event.id in best.events:
        return best
    made.contraries.append(Contrary(path, rival, best, rule.value, True))
    return rival


def _bear_out(
    made: Decision, known: Known, path: str, old: object, events: Sequence[Observed]
) -> None:
    found = evidence_of(path, old, events) if not isinstance(old, Missing) else []
    if found:
        made.borne_out[path] = side_of(path, old, found)


def _rivals(events: Sequence[Observed]) -> dict[str, list[tuple[str, Observed]]]:
    """Return what observations say of single values in so many words, by folded pointer."""
    found: dict[str, list[tuple[str, Observed]]] = {}
    for event in events:
        for sentence in sentences(event.text):
            for one in claims(event.type, sentence):
                if not one.adds:
                    path = "/" + "/".join(one.path)
                    found.setdefault(path.casefold(), []).append((one.value, event))
    return found


def _without_buried(known: Known, path: str, new: object) -> object:
    """Return a value without what the person has had deleted; the old one where nothing is left."""
    if isinstance(new, Missing) or new == known.leaves.get(path, MISSING):
        return new
    if isinstance(new, list):
        kept = [one for one in new if not known.is_buried(path, one)]
        return kept if kept or not new else known.leaves.get(path, MISSING)
    return known.leaves.get(path, MISSING) if known.is_buried(path, new) else new


def _differs(path: str, known: Known) -> bool:
    return known.leaves.get(path, MISSING) != known.shown.get(path, MISSING)


def _drop_what_does_not_fit(made: Decision, known: Known) -> None:
    """Drop new leaves above or under one that stays after all."""
    stays = [path for path in known.leaves if not _goes(made, path)]
    for path in list(made.changed):
        others = [one for one in stays if one != path]
        if not _goes(made, path) and meets(path, others):
            del made.changed[path]


def _goes(made: Decision, path: str) -> bool:
    return path in made.changed and isinstance(made.changed[path].value, Missing)


def ordered(made: Decision) -> Iterator[tuple[str, Side]]:
    """Yield the changes: first what goes, then what comes, so that no leaf stands under another."""
    yield from sorted(made.changed.items(), key=lambda one: not isinstance(one[1].value, Missing))
