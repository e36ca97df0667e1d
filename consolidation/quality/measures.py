"""The job that measures, day by day, how well memory served; charts read what it wrote."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Count, Q
from django.utils import timezone

from consolidation.jobs.queue import Attempt, holding
from consolidation.models import ContextEvent, DailyMeasure
from consolidation.quality.repeated_questions import is_known, questions, stems
from consolidation.quality.used import used_count
from knowledge.models import ContextDocument, Fact, Scaffold, ScaffoldEntry
from memory.messages import text_of
from memory.models import Event, Session
from recall.models import Receipt

Name = DailyMeasure.Name
# A day's log may be long: what one round reads of it is bounded, the newest first.
MOST_RECEIPTS = 1_000
MOST_ANSWERS = 5_000
KEPT = timedelta(days=400)
Counts = dict[tuple[int, str], tuple[int, int]]


def run(job: Attempt) -> None:
    """Measure today and yesterday anew, and drop what nobody charts any more."""
    today = timezone.now().astimezone(UTC).date()
    for day in (today - timedelta(days=1), today):
        found = measure(day)
        with holding(job):
            _write(day, found)
    DailyMeasure.objects.filter(day__lt=today - KEPT).delete()


def measure(day: date) -> Counts:
    """Return (part, whole) by owner and name for one day in UTC; only where something happened."""
    start = datetime.combine(day, time.min, UTC)
    span = (start, start + timedelta(days=1))
    found: Counts = {}
    found |= _observations(span)
    found |= _scaffold_keys(span)
    found |= _repeated_questions(span)
    found |= _utilisation(span)
    return found


Span = tuple[datetime, datetime]


def _observations(span: Span) -> Counts:
    """Count observations of conversations per session opened, and corrections among them all."""
    seen = ContextEvent.objects.filter(created_at__gte=span[0], created_at__lt=span[1])
    rows = seen.values_list("owner").annotate(
        all=Count("pk"),
        corrections=Count("pk", filter=Q(event_type=ContextEvent.Type.CORRECTION)),
        interactive=Count("pk", filter=Q(source_metadata__source="interactive")),
    )
    opened = Session.objects.filter(opened_at__gte=span[0], opened_at__lt=span[1])
    sessions: Mapping[int, int] = dict(opened.values_list("owner").annotate(Count("pk")))
    found: Counts = {}
    interactive = Counter[int]()
    for owner, all_of_them, corrections, of_chats in rows.order_by():
        found[owner, Name.CORRECTIONS] = (corrections, all_of_them)
        interactive[owner] = of_chats
    for owner in sessions.keys() | interactive.keys():
        found[owner, Name.OBSERVATIONS] = (interactive[owner], sessions.get(owner, 0))
    return found


def _scaffold_keys(span: Span) -> Counts:
    """Count the leaves of the profiles that changed in the span."""
    changed = Scaffold.objects.filter(updated_at__gte=span[0], updated_at__lt=span[1])
    return {(one.owner_id, Name.SCAFFOLD_KEYS): (_leaves(one.data), 1) for one in changed}


def _leaves(value: object) -> int:
    return sum(map(_leaves, value.values())) if isinstance(value, dict) else 1


def _repeated_questions(span: Span) -> Counts:
    """Count the assistant's questions, and those whose answer was known when it asked."""
    answers = Event.objects.filter(
        type=Event.Type.MODEL_OUTPUT,
        committed_at__gte=span[0],
        committed_at__lt=span[1],
        payload__content__icontains="?",
    ).select_related("owner__agent")
    by_owner: dict[int, list[Event]] = defaultdict(list)
    for event in answers.order_by("-committed_at")[:MOST_ANSWERS]:
        by_owner[event.owner_id].append(event)
    return {
        (owner, Name.REPEATED_QUESTIONS): counts
        for owner, events in by_owner.items()
        if (counts := _asked_again(owner, events))[1]
    }


def _asked_again(owner: int, events: list[Event]) -> tuple[int, int]:
    language = events[0].owner.agent.language
    known = [(since, stems(text, language)) for since, text in _known(owner)]
    repeated = asked = 0
    for event in events:
        before = [item for since, item in known if since < event.committed_at]
        for question in questions(text_of(event.content)):
            asked += 1
            repeated += is_known(question, before, language)
    return repeated, asked


def _known(owner: int) -> Iterator[tuple[datetime, str]]:
    """Yield what is known of an owner, with since when."""
    for fact in Fact.objects.filter(owner=owner).active():
        yield fact.created_at, f"{fact.object} {fact.evidence_quote}"
    leaves = ScaffoldEntry.objects.filter(owner=owner).values_list("created_at", "path")
    data = Scaffold.objects.filter(owner=owner).values_list("data", flat=True).first() or {}
    for since, path in leaves:
        yield since, f"{path.replace('/', ' ')} {_at(data, path)}"


def _at(data: object, path: str) -> object:
    """Return the leaf at a JSON Pointer; the empty text where there is none any more."""
    for key in path.split("/")[1:]:
        name = key.replace("~1", "/").replace("~0", "~")
        data = data.get(name, "") if isinstance(data, dict) else ""
    return data


def _utilisation(span: Span) -> Counts:
    """Count the facts that prompts held, and those that the next answer used."""
    receipts = Receipt.objects.filter(
        kind=Receipt.Kind.CONTEXT,
        session__isnull=False,
        created_at__gte=span[0],
        created_at__lt=span[1],
    ).select_related("owner__agent", "session")
    found: Counts = {}
    for receipt in receipts.order_by("-created_at")[:MOST_RECEIPTS]:
        texts, reply = _injected(receipt), _reply(receipt)
        if texts and reply:
            used = used_count(texts, reply, receipt.query, receipt.owner.agent.language)
            part, whole = found.get((receipt.owner_id, Name.UTILISATION), (0, 0))
            found[receipt.owner_id, Name.UTILISATION] = (part + used, whole + len(texts))
    return found


def _injected(receipt: Receipt) -> list[str]:
    """Return the words of the facts that a prompt held and that are still kept."""
    ids = defaultdict(list)
    for item in receipt.items:
        ids[item.get("store", "")].append(item["id"])
    facts = Fact.objects.filter(owner=receipt.owner_id, pk__in=ids["facts"])
    documents = ContextDocument.objects.filter(owner=receipt.owner_id, pk__in=ids["context"])
    return [
        *(fact.object for fact in facts.only("object")),
        *documents.values_list("content", flat=True),
    ]


def _reply(receipt: Receipt) -> str:
    """Return the first answer of the session after a prompt; empty if there was none."""
    answers = Event.objects.filter(
        session=receipt.session,
        type=Event.Type.MODEL_OUTPUT,
        committed_at__gt=receipt.created_at,
        payload__isnull=False,
    )
    event = answers.order_by("committed_at").first()
    return text_of(event.content) if event else ""


def _write(day: date, found: Counts) -> None:
    DailyMeasure.objects.bulk_create(
        [
            DailyMeasure(owner_id=owner, day=day, name=name, part=part, whole=whole)
            for (owner, name), (part, whole) in found.items()
        ],
        update_conflicts=True,
        unique_fields=("owner", "day", "name"),
        update_fields=("part", "whole"),
    )
