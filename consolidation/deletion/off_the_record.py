"""Lines that the user wants kept out of memory, and items they want forgotten: muted everywhere."""

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Owner
from consolidation.deletion import ledger
from consolidation.deletion.forget import footprint_of, forget
from consolidation.deletion.matcher import LEAST_QUOTE, Matcher
from consolidation.deletion.places.log import CHUNKS, EVENTS
from consolidation.deletion.places.summaries import SUMMARIES
from consolidation.deletion.trace import Deletion, Finding, Target
from consolidation.models import Candidate
from consolidation.verdict import VerdictCode
from knowledge.models import ChangeItem, Entity, Fact, Forgetting, Rule
from memory.messages import text_of
from memory.models import Chunk, Event, Session
from memory.models.window import Lane
from memory.muting import mute

ACTOR = "user"


@transaction.atomic
def keep_off_the_record(
    *, session: Session, lines: Collection[str], items: Sequence[UUID] = ()
) -> int:
    """Mute messages of a session with the answers to them, and forget what was learned from them.

    `lines` are references of events in the lane in which people are spoken with; `items` are ids
    of facts and rules to forget besides. Return how many events are muted now that were not.
    Raises LedgerUnwritable.
    """
    owner = Owner.objects.select_for_update().get(pk=session.owner_id)
    events = _events(session, lines)
    targets = _targets(owner, [event.reference for event in events], items)
    forget(owner=owner, items=targets, actor=ACTOR)
    if events:
        _mute(owner, session, events)
    return len(events)


def _mute(owner: Owner, session: Session, events: Sequence[Event]) -> None:
    texts = (text_of(event.content) for event in events if event.type == Event.Type.USER_MSG)
    deletion = Deletion(owner, ACTOR)
    deletion.matchers = [Matcher((text,)) for text in texts if len(text) >= LEAST_QUOTE]
    footprint = footprint_of(deletion, (EVENTS, CHUNKS, SUMMARIES))
    act = Forgetting(owner=owner, actor=ACTOR, items=0, final_at=timezone.now())
    act.events = _all(footprint[EVENTS.name], (event.pk for event in events))
    act.chunks = _all(footprint[CHUNKS.name], _chunks(session, events))
    mute(owner=owner, by=act.pk, events=act.events, chunks=act.chunks)
    SUMMARIES.remove(deletion, footprint[SUMMARIES.name])
    _empty_candidates(session, [event.seq for event in events])
    act.save()
    # Last, and before it counts, as every forgetting.
    ledger.note_forgetting(act, [])


def _all(entries: Sequence[Finding], others: Iterable[UUID]) -> list[UUID]:
    return list(dict.fromkeys((*others, *(UUID(str(entry["id"])) for entry in entries))))


def _events(session: Session, lines: Collection[str]) -> list[Event]:
    """Return the events of lines that are not muted yet, each with what was answered to it."""
    rows = Event.objects.audible().filter(session=session, lane=Lane.EDGE, payload__isnull=False)
    found, is_unwanted = list[Event](), False
    for event in rows.order_by("seq"):
        if event.reference in lines:
            is_unwanted = True
        elif event.type == Event.Type.USER_MSG:
            is_unwanted = False
        if is_unwanted:
            found.append(event)
    return found


def _chunks(session: Session, events: Sequence[Event]) -> list[UUID]:
    mine = Chunk.objects.filter(session=session, lane=Lane.EDGE)
    places = mine.values_list("pk", "first_seq", "last_seq")
    muted = {event.seq for event in events}
    return [pk for pk, first, last in places if muted & set(range(first, last + 1))]


def _targets(owner: Owner, refs: Sequence[str], items: Sequence[UUID]) -> list[Target]:
    """Return the facts and rules that are named, or were learned from the events.

    An entity that nothing else tells of goes too.
    """
    found: list[Target] = []
    for kind, model in ((ChangeItem.Kind.FACT, Fact), (ChangeItem.Kind.RULE, Rule)):
        rows = model.objects.filter(owner=owner)
        ids = {*rows.filter(pk__in=items).values_list("pk", flat=True)}
        ids.update(rows.filter(source_events__overlap=refs).values_list("pk", flat=True))
        found += [Target(kind, id) for id in sorted(ids)]
    named = Entity.objects.filter(owner=owner, source_events__overlap=refs)
    facts = Fact.objects.filter(owner=owner, about__isnull=False)
    others = facts.exclude(pk__in=[one.id for one in found]).values("about")
    alone = named.exclude(pk__in=others).order_by("pk").values_list("pk", flat=True)
    return [*found, *(Target(ChangeItem.Kind.ENTITY, id) for id in alone)]


def _empty_candidates(session: Session, turns: Sequence[int]) -> None:
    """Take the words of what these messages taught; what is held is held no more."""
    rows = Candidate.objects.filter(session=session, turn__in=turns)
    rows.update(payload={}, reason="")
    rows.filter(state=Candidate.State.HELD).update(
        state=Candidate.State.SKIPPED, outcome=VerdictCode.MEMORY_CONTROL, decided_at=timezone.now()
    )
