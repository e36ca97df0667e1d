"""What memory has done in a session, for the panel beside the talk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from consolidation.intake import lessons, used_facts
from consolidation.jobs.heartbeat import SILENT_SECONDS, seconds_since_last
from consolidation.models import Candidate, ContextEvent, Job, SynthesisRun
from inspector.console.meanings import ACTIONS, REASONS, of_error, of_reason
from inspector.person.wording import said
from inspector.why.bar import BudgetBar
from inspector.why.held import ReceiptRow, rows, shares
from knowledge.profile.edit import Picture, read_profile
from memory.models import Session, SessionStep
from recall.models import Receipt
from recall.receipts.items import read_items, words_of

MOST = 50
# A job that waits longer waits for credit or a provider: nobody looks on until then.
SOON = timedelta(seconds=60)
State = Candidate.State
GROUPS: Sequence[tuple[str, str, frozenset[str]]] = (
    ("Committed", "Kept in memory.", frozenset({State.COMMITTED, State.PROMOTED})),
    ("Held", "Waits for the session's end.", frozenset({State.HELD})),
    ("Quarantined", "Kept apart, and never used.", frozenset({State.QUARANTINED})),
    ("Not kept", "", frozenset({State.DROPPED, State.SKIPPED, State.FAILED})),
)


@dataclass(frozen=True, slots=True)
class Taught:
    """A candidate: what it says, the words it came from, the verdict and why."""

    turn: int
    kind: str
    text: str
    quote: str
    verdict: str
    why: str
    code: str


@dataclass(frozen=True, slots=True)
class OutcomeGroup:
    """What became of some candidates alike."""

    name: str
    meaning: str
    taught: Sequence[Taught]


@dataclass(frozen=True, slots=True)
class Watched:
    """All that the panel shows. `silence`: nobody does the jobs; `waits` says why one waits longer."""

    receipt: Receipt | None
    held: Sequence[ReceiptRow]
    cut: Sequence[ReceiptRow]
    bar: BudgetBar | None
    groups: Sequence[OutcomeGroup]
    observed: Sequence[ContextEvent]
    picture: Picture
    synthesis: SynthesisRun | None
    steps: Sequence[SessionStep]
    is_working: bool
    is_silent: bool
    waits: Sequence[str]

    @property
    def extracted(self) -> int:
        return sum(len(one.taught) for one in self.groups)

    @property
    def status(self) -> str:
        """One sentence for whoever listens instead of looking."""
        counts = ", ".join(f"{len(one.taught)} {one.name.lower()}" for one in self.groups)
        return (
            f"Nothing is due. {self.extracted} extracted: {counts}; {len(self.observed)} observed."
        )


def watch(session: Session) -> Watched:
    """Read what the session did to memory; the number of queries does not grow with it."""
    owner = session.owner
    receipts = Receipt.objects.filter(session=session, kind=Receipt.Kind.CONTEXT)
    receipt = receipts.order_by("-pk").first()
    held = read_items(receipt.items) if receipt else []
    cut = read_items(receipt.left_out) if receipt else []
    words = words_of(owner, [*held, *cut])
    observed = ContextEvent.objects.filter(owner=owner, source_metadata__session_id=str(session.pk))
    soon, later = _open_jobs(session)
    silence = seconds_since_last()
    return Watched(
        receipt=receipt,
        held=rows(held, words),
        cut=rows(cut, words),
        bar=shares(held),
        groups=_groups(session),
        observed=list(observed.order_by("-created_at")[:MOST]),
        picture=read_profile(owner),
        synthesis=SynthesisRun.objects.filter(owner=owner).order_by("-created_at").first(),
        steps=list(session.steps.all()),
        is_working=bool(soon),
        is_silent=bool(soon) and (silence is None or silence > SILENT_SECONDS),
        waits=[of_error(one.last_error_code) for one in later if one.last_error_code],
    )


def _groups(session: Session) -> list[OutcomeGroup]:
    found = list(Candidate.objects.filter(session=session).order_by("-pk")[:MOST])
    return [
        OutcomeGroup(name, meaning, [_taught(one) for one in found if one.state in states])
        for name, meaning, states in GROUPS
    ]


def _taught(row: Candidate) -> Taught:
    payload: Mapping[str, object] = row.payload
    # What came of it later says more than the first verdict, where it is a reason at all.
    code = row.outcome if row.outcome in REASONS else row.code
    evidence = payload.get("evidence")
    quotes = list(evidence) if isinstance(evidence, list | tuple) else [payload.get("quote", "")]
    return Taught(
        turn=row.turn,
        kind="fact" if row.lane == Candidate.Lane.SEMANTIC else "rule",
        text=str(payload.get("text") or said(payload)),
        quote=str(quotes[0]) if quotes else "",
        verdict=ACTIONS[row.action],
        why=of_reason(code),
        code=code,
    )


def _open_jobs(session: Session) -> tuple[list[Job], list[Job]]:
    """Return the session's jobs that are done now, and those that wait longer."""
    kinds = ("session", "learn", lessons.KIND, used_facts.KIND)
    subjects = [f"{kind}:{session.pk}" for kind in kinds] + [f"profile:{session.owner_id}"]
    found = list(Job.objects.open().filter(subject__in=subjects).order_by("pk")[:MOST])
    until = timezone.now() + SOON
    soon = [one for one in found if one.state == Job.State.RUNNING or one.not_before <= until]
    return soon, [one for one in found if one not in soon]
