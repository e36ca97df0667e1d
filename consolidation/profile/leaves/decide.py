"""What a patch does to the leaves of a profile: taken change by change, each on what it stands on."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from consolidation.profile.leaves.contradict import are_contrary, newer_wins
from consolidation.profile.leaves.keys import joined, settled
from consolidation.profile.leaves.normalise import normalised
from consolidation.profile.leaves.sides import Refs, Side, side_of
from extraction.contracts.profile import PATH_CHARACTERS, ScaffoldChange, fitting
from knowledge.models.profile import Channel
from knowledge.profile.edit import MOST_LEAVES
from knowledge.profile.pointers import Leaves, is_under, keys_of, leaves, meets

Is = Callable[[str, object], bool]


class Missing:
    """There is nothing under this pointer."""


MISSING = Missing()


class ChangeUnfit(Exception):
    """One change cannot be taken; the others can."""


@dataclass(frozen=True, slots=True)
class Known:
    """The profile as it is, as the model was shown it, and what speaks for each leaf of it.

    `is_buried` says whether the person has had a value deleted; `allowed` are the top keys that an
    agent wants, all when there are none.
    """

    leaves: Leaves
    shown: Leaves
    sides: Mapping[str, Side]
    is_buried: Is
    allowed: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class ContradictedLeaf:
    """Two sides of a leaf, and the rule by which one of them holds."""

    path: str
    kept: Side
    lost: Side
    rule: str


@dataclass(slots=True)
class LeafDecision:
    """`changed` are the new values by pointer, MISSING for what goes; `borne_out` stay as they are."""

    changed: dict[str, Side] = field(default_factory=dict)
    borne_out: dict[str, Side] = field(default_factory=dict)
    contraries: list[ContradictedLeaf] = field(default_factory=list)
    unfit: int = 0


@dataclass(slots=True)
class _Draft:
    known: Known
    events: Refs
    values: Leaves
    sides: dict[str, Side]
    edited: Sequence[str]
    made: LeafDecision = field(default_factory=LeafDecision)


def decide(known: Known, changes: Sequence[ScaffoldChange], events: Refs) -> LeafDecision:
    """Return what a patch does to a profile. There is at least one event."""
    edited = [path for path in known.leaves | known.shown if _differs(path, known)]
    draft = _Draft(known, events, dict(known.leaves), dict(known.sides), edited)
    for change in changes:
        try:
            _take(draft, change)
        except (ChangeUnfit, ValueError):
            draft.made.unfit += 1
    for path in known.leaves.keys() | draft.values.keys():
        value = draft.values.get(path, MISSING)
        if value != known.leaves.get(path, MISSING):
            draft.made.changed[path] = replace(draft.sides[path], value=value)
            draft.made.borne_out.pop(path, None)
    return draft.made


def ordered(made: LeafDecision) -> Iterator[tuple[str, Side]]:
    """Yield the changes: first what goes, then what comes, so that no leaf stands under another."""
    yield from sorted(made.changed.items(), key=lambda pair: not isinstance(pair[1].value, Missing))


def _take(draft: _Draft, change: ScaffoldChange) -> None:
    path = settled(change.path, draft.values)
    if change.refs and not any(ref in draft.events for ref in change.refs):
        raise ChangeUnfit("it stands on nothing that was shown")
    if draft.known.allowed and keys_of(path)[0] not in draft.known.allowed:
        raise ChangeUnfit("the agent has other keys")
    # What the person changed meanwhile is theirs.
    if meets(path, draft.edited):
        return
    if change.op == "rename":
        to = settled(change.to, draft.values)
        if draft.known.allowed or meets(to, draft.edited):
            raise ChangeUnfit("these keys are not the model's to change")
        move(draft.values, draft.sides, path, to)
        return
    side = side_of(None, change.refs, draft.events, change.basis)
    if change.op == "confirm":
        _confirm(draft, path, side)
    else:
        for target, value in _targets(draft, path, change):
            _put(draft, target, replace(side, value=value))


def move(values: Leaves, sides: dict[str, Side], path: str, to: str) -> None:
    """Give what stands under a pointer another one; where something stands there lists join.

    What speaks for it moves along. Raises ChangeUnfit when one of the two would be lost.
    """
    moved = {leaf: to + leaf[len(path) :] for leaf in values if is_under(leaf, path)}
    others = [leaf for leaf in values if leaf not in moved]
    if not moved or is_under(to, path) or is_under(path, to):
        raise ChangeUnfit("there is nothing to move, or nowhere")
    for leaf, goal in moved.items():
        there = values.get(goal) if goal in others else None
        fits = goal in others and (values[leaf] == there or isinstance(there, list))
        if len(goal) > PATH_CHARACTERS or not (fits or not meets(goal, others)):
            raise ChangeUnfit("something else stands there")
    for leaf, goal in moved.items():
        value, side = values.pop(leaf), sides[leaf]
        if goal in values:
            value, side = joined(values[goal], value), _both(sides[goal], side)
        values[goal], sides[goal] = value, side


def _both(first: Side, second: Side) -> Side:
    """Return what speaks for a list that was changed: for its old members, and for its new ones."""
    newest = max(first, second, key=lambda side: (side.channel == "person", side.observed_at))
    return replace(newest, events=(*first.events, *second.events), sure=None)


def _targets(draft: _Draft, path: str, change: ScaffoldChange) -> Iterator[tuple[str, object]]:
    """Yield the leaves that a change writes, MISSING for those that go."""
    value = fitting(normalised(change.value))  # type: ignore[arg-type]
    now = draft.values.get(path, MISSING)
    if change.op == "remove":
        yield from _removed(draft.values, path, value)
    elif isinstance(value, dict) and value and change.op == "set":
        for leaf, part in leaves(value, path).items():
            yield settled(leaf, draft.values), MISSING if part is None else part
    elif value is None:
        raise ChangeUnfit("there is no value")
    elif change.op == "add" or (isinstance(value, list) and isinstance(now, list)):
        yield path, joined(now if not isinstance(now, Missing) else [], value)
    else:
        yield path, value


def _removed(values: Leaves, path: str, value: object) -> Iterator[tuple[str, object]]:
    now = values.get(path, MISSING)
    if value is None or now == value:
        yield from [(leaf, MISSING) for leaf in values if is_under(leaf, path)]
    elif isinstance(now, list):
        going = value if isinstance(value, list) else [value]
        rest = [member for member in now if member not in going]
        yield path, rest or MISSING
    else:
        raise ChangeUnfit("it does not stand there")


def _put(draft: _Draft, path: str, new: Side) -> None:
    """Write a leaf in place of all that stands there, above or below, if it may take the place."""
    new = replace(new, value=_without_buried(draft, path, new.value))
    now = draft.values.get(path, MISSING)
    if now == new.value:
        _confirm(draft, path, new)
        return
    standing = [leaf for leaf in draft.values if meets(leaf, [path])]
    for leaf in standing:
        _let_go(draft, leaf, new)
    _check_room(draft, path)
    draft.sides |= {leaf: new for leaf in standing if leaf != path}
    is_list = isinstance(now, list) and isinstance(new.value, list)
    draft.sides[path] = _both(draft.sides[path], new) if is_list else new
    for leaf in standing:
        draft.values.pop(leaf)
    if not isinstance(new.value, Missing):
        draft.values[path] = new.value


def _let_go(draft: _Draft, leaf: str, new: Side) -> None:
    """Keep both sides of what cannot hold together. Raises ChangeUnfit when the old one stands."""
    old = replace(draft.sides[leaf], value=draft.values[leaf])
    is_contrary = are_contrary(old.value, new.value)
    # A list of the person's may gain a member, and stays theirs.
    is_safe = isinstance(old.value, list) or old.channel != Channel.PERSON
    if not is_contrary and is_safe:
        return
    wins, rule = newer_wins(old, new)
    kept, lost = (new, old) if wins else (old, new)
    draft.made.contraries.append(ContradictedLeaf(leaf, kept, lost, rule.value))
    if not wins:
        raise ChangeUnfit("what stands there is stronger")


def _confirm(draft: _Draft, path: str, side: Side) -> None:
    for leaf in draft.values:
        if is_under(leaf, path) and draft.values[leaf] == draft.known.leaves.get(leaf, MISSING):
            draft.made.borne_out[leaf] = replace(side, value=draft.values[leaf])


def _check_room(draft: _Draft, path: str) -> None:
    if len(path) > PATH_CHARACTERS or len(draft.values) >= MOST_LEAVES:
        raise ChangeUnfit("the profile would become too large")


def _without_buried(draft: _Draft, path: str, value: object) -> object:
    """Return a value without what the person has had deleted. Raises ChangeUnfit if none is left."""
    if isinstance(value, Missing):
        return value
    if isinstance(value, list):
        rest = [member for member in value if not draft.known.is_buried(path, member)]
        if value and not rest:
            raise ChangeUnfit("the person had it deleted")
        return rest
    if draft.known.is_buried(path, value):
        raise ChangeUnfit("the person had it deleted")
    return value


def _differs(path: str, known: Known) -> bool:
    return known.leaves.get(path, MISSING) != known.shown.get(path, MISSING)
