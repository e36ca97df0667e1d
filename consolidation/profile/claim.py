"""Which observations a run works in: no two runs ever have the same one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from accounts.models import Owner
from audit.failpoint import failpoint
from consolidation.jobs.queue import Run, holding
from consolidation.lines import PIECE_CHARACTERS
from consolidation.models import ContextEvent, SynthesisRun
from consolidation.profile.leaves.sides import Observed
from knowledge.models.profile import Channel

MOST_EVENTS = 200


@dataclass(frozen=True, slots=True)
class Claim:
    """An open run of an owner, with its observations, the oldest first."""

    run: SynthesisRun
    owner: Owner
    events: Sequence[ContextEvent]

    @property
    def observed(self) -> list[Observed]:
        return [observed_of(event) for event in self.events]


def claim(job: Run, owner: Owner) -> Claim | None:
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


def observed_of(event: ContextEvent) -> Observed:
    source = str(event.source_metadata.get("source", ""))
    channel = source if source in Channel.values else Channel.INTERACTIVE.value
    return Observed(event.pk, event.event_type, event.content, channel, event.observed_at)


def _unclaimed(owner: Owner) -> Iterator[ContextEvent]:
    """Yield and lock what waits, no more than a model is shown at a time."""
    waiting = ContextEvent.objects.waiting().filter(owner=owner)
    free = waiting.exclude(run__state__in=SynthesisRun.OPEN).order_by("pk")
    rows = list(free.select_for_update(skip_locked=True, of=("self",))[:MOST_EVENTS])
    room = PIECE_CHARACTERS
    taken: list[ContextEvent] = []
    for event in rows:
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
