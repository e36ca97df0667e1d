"""Which observations a run works in: no two runs ever have the same one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.models import Owner
from audit.failpoint import failpoint
from consolidation.jobs.queue import Attempt, holding
from consolidation.lines import PIECE_CHARACTERS
from consolidation.models import ContextEvent, SynthesisRun
from consolidation.profile.leaves.sides import ObservedEvent
from knowledge.models.profile import Channel

# How many observations a model is asked about at a time, by how often that has failed.
BATCHES = (200, 14, 1)
MESSAGE_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class Claim:
    """An open run of an owner, with its observations, the oldest first."""

    run: SynthesisRun
    owner: Owner
    events: Sequence[ContextEvent]

    @property
    def observed(self) -> list[ObservedEvent]:
        return [observed_of(event) for event in self.events]


def claim(job: Attempt, owner: Owner) -> Claim | None:
    """Return the run that a killed worker left open, or a new one; None when nothing waits.

    What comes later is left for the next run. Raises LeaseLost.
    """
    with holding(job):
        found = SynthesisRun.objects.filter(owner=owner, state__in=SynthesisRun.OPEN).first()
        events = claimed(found) if found else list(_unclaimed(owner))
        if not events:
            _close(found)
            return None
        run = found or SynthesisRun.objects.create(owner=owner)
        if found is None:
            ContextEvent.objects.filter(pk__in=[one.pk for one in events]).update(run=run)
    failpoint("synthesis.after_claim")
    return Claim(run, owner, events)


def claimed(run: SynthesisRun) -> list[ContextEvent]:
    """Return the observations of a run that are still to be worked in."""
    return list(ContextEvent.objects.waiting().filter(run=run).order_by("observed_at", "pk"))


def observed_of(event: ContextEvent) -> ObservedEvent:
    """Return an observation as the picture is concerned with it; its metadata is only believed so far."""
    said = event.source_metadata
    source = str(said.get("source", ""))
    return ObservedEvent(
        id=event.pk,
        type=event.event_type,
        text=event.content,
        channel=source if source in Channel.values else Channel.INTERACTIVE.value,
        observed_at=event.observed_at,
        occasion=occasion_of(event),
        connection=parse_uuid(said.get("connection_id")),
        message=str(said.get("message_id", ""))[:MESSAGE_CHARACTERS],
    )


def occasion_of(event: ContextEvent) -> str:
    """Return what is one for all that was noted of one session, or of one item of an inbox."""
    said = event.source_metadata
    return str(said.get("session_id") or said.get("item_id") or event.pk)


def ref_of(event: UUID) -> str:
    """Return an observation's reference, as changes name it."""
    return f"ob-{event.hex}"


def parse_uuid(value: object) -> UUID | None:
    try:
        return UUID(str(value))
    except ValueError:
        return None


def _unclaimed(owner: Owner) -> Iterator[ContextEvent]:
    """Yield and lock what waits, no more than a model is shown at a time.

    What failed together is tried again in ever smaller parts, at last alone, so that one
    observation that no model can work in costs itself and not the others.
    """
    waiting = ContextEvent.objects.waiting().filter(owner=owner)
    free = waiting.exclude(run__state__in=SynthesisRun.OPEN).order_by("pk")
    first = free.values_list("attempts", flat=True).first()
    if first is None:
        return
    most = BATCHES[min(first, len(BATCHES) - 1)]
    alike = free.filter(attempts=first).select_for_update(skip_locked=True, of=("self",))
    room = PIECE_CHARACTERS
    taken: list[ContextEvent] = []
    for event in alike[:most]:
        room -= len(event.content)
        if room < 0 and taken:
            break
        taken.append(event)
    yield from sorted(taken, key=lambda event: (event.observed_at, event.pk))


def _close(run: SynthesisRun | None) -> None:
    """End a run whose observations are all gone."""
    if run:
        run.state, run.reply = SynthesisRun.State.DONE, None
        run.save(update_fields=["state", "reply"])
