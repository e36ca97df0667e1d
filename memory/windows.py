"""What of a lane is shown, and what of it may be folded, in whole tool-call groups (pure)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

USER, MODEL, TOOL = "UserMsg", "ModelOutput", "ToolResultCommitted"
INJECTED, JOB = "InjectedInstruction", "CoreJobStart"
# A user's message that is no words of theirs but an order to us.
COMMAND = "Command"
COMPACTABLE = frozenset({USER, MODEL, TOOL, COMMAND})
# Of what a prompt has room for; the rest is for what comes before the fold is done.
NEARLY_FULL = 0.9
# After a manual fold this many messages stay, so that the conversation still reads as one.
TAIL = 4


@dataclass(frozen=True, slots=True)
class ViewEvent:
    """An event of the view. `calls` are the ids of its tool calls, `answers` the id it answers."""

    seq: int
    type: str
    tokens: int
    calls: frozenset[str] = frozenset()
    answers: str = ""


Group = Sequence[ViewEvent]


@dataclass(frozen=True, slots=True)
class LaneMeasure:
    """A lane as a prompt shows it, oldest first, and the room it has, in tokens.

    `limit` is the model's context, `fixed` what is in every prompt: the schemas of tools,
    instructions, identity texts, memory and the summary. `calibration` is how many real tokens an
    estimated one stands for. `most_events` and `share` are the agent's thresholds for folding.
    `budget` is what a prompt may take, in estimated tokens; None is all of the context.
    """

    shown: Sequence[ViewEvent]
    start_seq: int
    last_seq: int
    limit: int
    fixed: int
    calibration: float = 1.0
    most_events: int = 50
    share: float = 0.8
    budget: int | None = None
    groups: Sequence[Group] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", grouped(self.shown))

    @property
    def usage(self) -> float:
        """The share of the model's context in use; above 1 when it would not fit."""
        return self.calibration * (self.fixed + total(self.shown)) / self.limit

    @property
    def compactable(self) -> int:
        """The tokens of all that may be folded."""
        return sum(total(group) for group in self.groups if self.may_fold(group))

    @property
    def room(self) -> float:
        """The tokens that compactable events may take: the context less all that stays."""
        return max(self.limit / self.calibration - self._stays, 0.0)

    @property
    def most_tokens(self) -> float:
        """The tokens of compactable events beyond which they are folded.

        They are the agent's share of the room; and no more than the prompt shows, with something to
        spare for the user's next words.
        """
        most = self.share * self.room
        if self.budget is None:
            return most
        return min(most, max(self.budget - self._stays, 0.0) * NEARLY_FULL)

    @property
    def _stays(self) -> int:
        return self.fixed + total(self.shown) - self.compactable

    def may_fold(self, group: Group) -> bool:
        """Say whether a group is compactable: never the latest user's words or an open call."""
        if group[0].type not in COMPACTABLE and not self._has_ended(group[0]):
            return False
        latest = self.latest_user
        if latest is not None and group[0].seq == latest.seq:
            return False
        # The model has not yet read what its tools just gave.
        if group[-1].type == TOOL and group[-1].seq == self.shown[-1].seq:
            return False
        # A result may still come, until the user has spoken again.
        return is_complete(group) or (latest is not None and latest.seq > group[-1].seq)

    def _has_ended(self, one: ViewEvent) -> bool:
        """Say whether this is the briefing of a job after which another has begun."""
        return one.type == JOB and any(
            other.type == JOB and other.seq > one.seq for other in self.shown
        )

    @property
    def latest_user(self) -> ViewEvent | None:
        return next((one for one in reversed(self.shown) if one.type == USER), None)


@dataclass(frozen=True, slots=True)
class Fold:
    """What leaves the view, and where the window stands then."""

    folded: list[int]
    start_seq: int
    kept: list[int]


def grouped(shown: Sequence[ViewEvent]) -> list[list[ViewEvent]]:
    """Part events into groups that stay together: a tool call and the results that answer it.

    A result belongs to the latest call of its id, whatever came between them; a result without a
    call stands alone.
    """
    groups: list[list[ViewEvent]] = []
    caller: dict[str, list[ViewEvent]] = {}
    for one in shown:
        group = caller.get(one.answers) if one.type == TOOL else None
        if group is None:
            group = []
            groups.append(group)
        group.append(one)
        for call in one.calls:
            caller[call] = group
    return groups


def is_complete(group: Group) -> bool:
    """Say whether every call of a group has its result."""
    return group[0].calls <= {one.answers for one in group[1:]}


def total(shown: Iterable[ViewEvent]) -> int:
    return sum(one.tokens for one in shown)


def oldest(view: LaneMeasure, enough: Callable[[Sequence[Group]], bool]) -> list[Group]:
    """Take the oldest groups that may be folded until what is left is `enough`."""
    left, taken = list(view.groups), []
    for group in view.groups:
        if enough(left):
            break
        if view.may_fold(group):
            left.remove(group)
            taken.append(group)
    return taken


def before_tail(view: LaneMeasure, messages: int = TAIL) -> list[Group]:
    """Take what may be folded before the last `messages`, whose groups stay whole."""
    tail = {one.seq for one in view.shown[-messages:]} if messages else set()
    return [
        group
        for group in view.groups
        if view.may_fold(group) and not tail & {one.seq for one in group}
    ]


def fold(view: LaneMeasure, groups: Sequence[Group]) -> Fold | None:
    """Return the fold of some groups, or None when there is nothing to fold.

    An injected instruction with folded events on both sides goes with them.
    """
    taken = {one.seq for group in groups for one in group}
    if not taken:
        return None
    last = max(taken)
    taken |= {one.seq for one in view.shown if one.type == INJECTED and _between(one, taken, view)}
    start = max(view.start_seq, last + 1)
    kept = [one.seq for one in view.shown if one.seq not in taken and one.seq < start]
    return Fold(sorted(taken), start, kept)


def _between(one: ViewEvent, taken: Collection[int], view: LaneMeasure) -> bool:
    """Say whether events on both sides of this one have left the view, now or earlier."""
    shown_before = sum(other.seq < one.seq for other in view.shown)
    has_gap_before = shown_before < one.seq - 1
    return one.seq < max(taken) and (min(taken) < one.seq or has_gap_before)
