"""The job that looks for what comes back over an owner's sessions."""

from collections.abc import Iterator, Sequence

from django.utils import timezone

from accounts.models import Owner
from accounts.owners import scope_of
from consolidation.jobs.queue import Attempt, enqueue, holding
from consolidation.profile.patterns.find import Recurrence, Sighting, recurrences
from knowledge.models import Arc, Pattern
from memory.messages import text_of
from memory.models import Event, Session

KIND = "patterns"
# Older sessions have had their say; and what one job reads stays bounded.
MOST_SESSIONS = 200
MOST_EVENTS = 4_000
# Sessions that end together are looked at together.
DELAY_SECONDS = 20.0
SHOWN = ("text", "sessions", "sources", "words", "strength", "first_seen_at", "last_seen_at")


def request(owner: Owner) -> None:
    """Make the job, in the caller's transaction, unless the agent keeps no picture of its users."""
    if owner.agent.keeps_profile:
        enqueue(
            kind=KIND,
            key=str(owner.pk),
            subject=f"patterns:{owner.pk}",
            delay_seconds=DELAY_SECONDS,
            owner=owner.pk,
        )


def run(job: Attempt) -> None:
    """Write what comes back now, and take out what no session bears out any more."""
    owner = Owner.objects.select_related("agent").filter(pk=job.key).first()
    if owner is None or not owner.agent.keeps_profile:
        return
    found = find(owner)
    with holding(job):
        _write(owner, found)


def find(owner: Owner) -> list[Recurrence]:
    """Return what comes back over the owner's newest sessions that have ended."""
    ended = Session.objects.filter(owner=owner, state=Session.State.CLOSED).order_by("-pk")
    sessions = list(ended[:MOST_SESSIONS])
    seen = [*_in_arcs(owner, sessions), *_in_tools(sessions)]
    return recurrences(
        seen,
        session_count=len(sessions),
        now=timezone.now(),
        language=owner.agent.language,
    )


def _in_arcs(owner: Owner, sessions: Sequence[Session]) -> Iterator[Sighting]:
    within = Arc.objects.within(scope_of(owner.agent, owner=owner.pk)).active()
    for arc in within.filter(session__in=[one.pk for one in sessions]):
        for theme in arc.themes:
            yield Sighting("theme", theme, arc.session, arc.ended_at, arc.pk)
        for loop in arc.open_loops:
            yield Sighting("open_loop", loop, arc.session, arc.ended_at, arc.pk)


def _in_tools(sessions: Sequence[Session]) -> Iterator[Sighting]:
    """Yield each tool that was called, with the words of the user before it."""
    kinds = (Event.Type.USER_MSG, Event.Type.MODEL_OUTPUT)
    events = Event.objects.audible().filter(
        session__in=sessions, type__in=kinds, payload__isnull=False
    )
    said: dict[tuple[object, str], str] = {}
    newest = list(events.order_by("-session_id", "-seq")[:MOST_EVENTS])
    for event in reversed(newest):
        place = (event.session_id, event.lane)
        if event.type == Event.Type.USER_MSG:
            said[place] = text_of(event.content)
            continue
        for name in _called(event):
            request_words = said.get(place, "")
            yield Sighting("tool", name, event.session_id, event.occurred_at, None, request_words)


def _called(event: Event) -> list[str]:
    calls = event.content.get("tool_calls")
    found = calls if isinstance(calls, list) else []
    return [str(call["function"]["name"])[:100] for call in found if "function" in call]


def _write(owner: Owner, found: Sequence[Recurrence]) -> None:
    rows = [
        Pattern(
            owner=owner,
            kind=one.kind,
            key=one.key,
            **{name: _column(getattr(one, name)) for name in SHOWN},
        )
        for one in found
    ]
    kept = {(row.kind, row.key) for row in rows}
    for known in Pattern.objects.filter(owner=owner).only("kind", "key"):
        if (known.kind, known.key) not in kept:
            known.delete()
    Pattern.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=("owner", "kind", "key"),
        update_fields=SHOWN,
    )


def _column(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
