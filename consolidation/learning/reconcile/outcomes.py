"""What became of candidates, one by one and counted (pure)."""

from dataclasses import dataclass
from enum import Enum


class Made(Enum):
    """What became of one candidate."""

    WRITTEN = "written"
    SUPERSEDED = "superseded"
    BUMPED = "bumped"
    RETIRED = "retired"
    SKIPPED = "skipped"
    BURIED = "buried"
    REFUSED = "refused"
    WAITING = "waiting"
    FAILED = "failed"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class Tally:
    """The candidates of one kind, in the order they came; a supersession is a write as well."""

    made: tuple[Made, ...] = ()

    @property
    def writes(self) -> int:
        return self._count(Made.WRITTEN, Made.SUPERSEDED, Made.RETIRED)

    @property
    def bumps(self) -> int:
        return self._count(Made.BUMPED)

    @property
    def supersedes(self) -> int:
        return self._count(Made.SUPERSEDED)

    @property
    def skips(self) -> int:
        """Count what was there already, was deleted once, or is not to be kept at all."""
        return self._count(Made.SKIPPED, Made.BURIED, Made.REFUSED)

    @property
    def waiting(self) -> int:
        return self._count(Made.WAITING)

    @property
    def failures(self) -> int:
        return self._count(Made.FAILED)

    def _count(self, *kinds: Made) -> int:
        return sum(one in kinds for one in self.made)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the candidates of one run. All are `repeated` when the run was done before."""

    facts: Tally
    rules: Tally
