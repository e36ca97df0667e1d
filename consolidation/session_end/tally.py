"""One run of the step that promotes: what was counted by lane, and what went wrong on the way."""

from dataclasses import dataclass, field

from consolidation.errors import Postponed
from consolidation.jobs.queue import Attempt
from consolidation.learning.reconcile.outcomes import Tally
from consolidation.models import Candidate
from memory.models import Session, SessionStep
from memory.sessions import note_step

STEP = "learn"
LOAD_FAILED = "support_load_failed"
Numbers = dict[str, int]


@dataclass(slots=True)
class Ending:
    """The lanes' counters with what earlier runs of the step have counted; `code` of what failed."""

    run: Attempt
    session: Session
    lanes: dict[str, Numbers]
    is_load_failed: bool = False
    code: str = ""
    postponed: list[Postponed] = field(default_factory=list)

    @property
    def details(self) -> dict[str, object]:
        return {**self.lanes, LOAD_FAILED: self.is_load_failed}

    def count(self, lane: str, tally: Tally, skipped: int = 0) -> None:
        """Add to a lane's counters, in the transaction of what was counted."""
        before, more = self.lanes[lane], numbers(tally, skipped)
        # What failed before has just been tried again.
        self.lanes[lane] = {
            name: number + (0 if name == "failures" else before[name])
            for name, number in more.items()
        }
        note_step(session=self.session, name=STEP, details=self.details)


def begin(run: Attempt, session: Session) -> Ending:
    step = SessionStep.objects.filter(session=session, name=STEP).first()
    known = step.details if step else {}
    lanes = {lane: known.get(lane) or numbers(Tally(), 0) for lane in Candidate.Lane.values}
    return Ending(run, session, lanes)


def numbers(tally: Tally, skipped: int) -> Numbers:
    return {
        "writes": tally.writes,
        "bumps": tally.bumps,
        "supersedes": tally.supersedes,
        "waiting": tally.waiting,
        "skips": tally.skips + skipped,
        "failures": tally.failures,
    }
