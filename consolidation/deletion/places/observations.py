"""What still waits to be learned, or was learned from: candidates, observations, patterns. None is kept."""

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from consolidation.deletion.matcher import LEAST_QUOTE, matches, may_match
from consolidation.deletion.places.items import KINDS
from consolidation.deletion.trace import Deletion, Finding, Trace, earlier
from consolidation.models import Candidate, ContextEvent
from consolidation.profile.patterns import job as recurring
from consolidation.verdict import VerdictCode
from knowledge.items.tombstones import digests
from knowledge.models import ChangeItem, Fact, Pattern, ScaffoldEntry, Tombstone
from knowledge.profile.pointers import is_under

Kind, Lane, State = ChangeItem.Kind, Candidate.Lane, Candidate.State
FORGOTTEN = "forgotten"
PARTS = (Kind.NARRATIVE, Kind.SCAFFOLD, Kind.LEARNED_INFO)
LANE_OF_KIND: Mapping[str, str] = {Kind.FACT: Lane.SEMANTIC, Kind.RULE: Lane.PROCEDURAL}


def observations_of(key: str, quote: str) -> Q:
    """Return what finds the observations of an item, and those that quote it."""
    said = Q(key=key) | Q(key__startswith=f"{key}:")
    if len(quote) >= LEAST_QUOTE:
        said |= Q(content__icontains=quote)
    return said


def observations_of_parts(deletion: Deletion) -> set[UUID]:
    """Return what taught the parts of the picture that are chosen."""
    names = [str(one.id) for part in PARTS for one in deletion.named(part)]
    if not names:
        return set()
    pointers = [str(one.id) for one in deletion.named(Kind.SCAFFOLD)]
    rows = ScaffoldEntry.objects.filter(owner=deletion.owner).values_list("path", "evidence")
    taught = [
        event
        for path, events in rows
        if any(is_under(path, pointer) for pointer in pointers)
        for event in events
    ]
    mine = ContextEvent.objects.filter(owner=deletion.owner)
    return set(mine.filter(Q(pk__in=taught) | Q(content__in=names)).values_list("pk", flat=True))


def _find(deletion: Deletion) -> list[Finding]:
    """Return the observations of what goes, of whatever quotes it, and of what tells it."""
    mine = ContextEvent.objects.filter(owner=deletion.owner)
    wanted = Q(pk__in=observations_of_parts(deletion))
    for key, quote in _quotes(deletion):
        wanted |= observations_of(key, quote)
    may = mine.filter(may_match("content", deletion.matchers)).values_list("pk", "content")
    wanted |= Q(pk__in=[pk for pk, text in may if matches(text, deletion.matchers)])
    return [{"id": pk} for pk in mine.filter(wanted).values_list("pk", flat=True)]


def _quotes(deletion: Deletion) -> Iterator[tuple[str, str]]:
    """Yield each item's key with each quote that it ever had; an item without one with none."""
    for row in deletion.items:
        facts = [said for said in (row, *earlier(deletion.owner, [row])) if isinstance(said, Fact)]
        for quote in {said.evidence_quote for said in facts} or {""}:
            yield f"{KINDS[type(row)]}:{row.pk}", quote


def _remove(deletion: Deletion, entries: Sequence[Finding]) -> None:
    """Take the words of what waits; none of it waits on."""
    rows = ContextEvent.objects.filter(pk__in=[entry["id"] for entry in entries])
    rows.waiting().update(set_aside_at=timezone.now(), error_code=FORGOTTEN)
    rows.update(content="")
    for kind in {KINDS[type(row)] for row in deletion.items} & LANE_OF_KIND.keys():
        _empty_candidates(deletion, kind)
    for row in deletion.items:
        _drop_patterns(deletion, row.pk)


def _drop_patterns(deletion: Deletion, source: UUID) -> None:
    """Delete what was seen in the deleted item; what others bear out comes back by its job."""
    mine = Pattern.objects.filter(owner=deletion.owner)
    if mine.filter(sources__contains=[source]).delete()[0]:
        recurring.request(deletion.owner)


def _empty_candidates(deletion: Deletion, kind: str) -> None:
    """Take the words of candidates that say what was deleted; what is held is held no more."""
    owner = deletion.owner
    tombs = Tombstone.objects.filter(owner=owner, kind=kind).values_list("digest", flat=True)
    buried = {bytes(digest) for digest in tombs}
    rows = Candidate.objects.filter(session__owner=owner, lane=LANE_OF_KIND[kind])
    same = [
        row.pk
        for row in rows.exclude(payload={}).only("pk", "payload").iterator()
        if buried & digests(owner, kind, _fields(row.payload))
    ]
    chosen = Candidate.objects.filter(pk__in=same)
    chosen.update(payload={}, reason="")
    chosen.filter(state=State.HELD).update(
        state=State.SKIPPED, outcome=VerdictCode.TOMBSTONE, decided_at=timezone.now()
    )


def _fields(payload: dict[str, object]) -> dict[str, object]:
    """Return a candidate's words under the names of the model's fields."""
    return payload | {"evidence_quote": payload.get("quote", "")}


# After the items: what waits to say the same is known by their tombstones.
OBSERVATIONS = Trace("observations", _find, _remove, is_kept=False)
