"""What the person's pages read."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Func, Q, QuerySet

from accounts.models import Owner
from accounts.owners import scope_of
from accounts.parts import may_hold
from consolidation.models import Candidate
from inspector.overview import EventLine
from inspector.person.corrections import corrections
from inspector.person.wording import ACT, ORIGIN, Card, card, said, words_of
from knowledge.items.rows import LEARNED
from knowledge.models import ChangeItem, Changeset
from knowledge.models.learned import (
    PARTS_OF_ARC,
    PARTS_OF_FACT,
    PARTS_OF_RULE,
    Learned,
    LearnedQuerySet,
)
from memory.models import Event

# The labels of the layers on the pages and in the API, and what changes call them.
LAYERS: Mapping[str, str] = {"facts": "fact", "sessions": "arc", "rules": "rule"}
STATES = ("remembered", "waiting", "no longer", "held back", "all")
WAITING = "waiting"
# What a conversation under way may teach, by the layer that it would be part of.
LANES: Mapping[str, str] = {"facts": "semantic", "rules": "procedural"}
WORDS: Mapping[str, tuple[str, ...]] = {
    "facts": ("object", "subject", "evidence_quote", "category"),
    "sessions": ("summary", "themes", "open_loops"),
    "rules": ("text", "evidence"),
}
PARTS: Mapping[str, Func] = {
    "facts": PARTS_OF_FACT,
    "sessions": PARTS_OF_ARC,
    "rules": PARTS_OF_RULE,
}
AROUND = 3
MOST_WAITING = 50
REFERENCE_BYTES = 16


@dataclass(frozen=True, slots=True)
class PendingItem:
    """Something that waits for the person: `id` is a candidate's, or a change's."""

    id: int
    text: str
    quote: str
    why: str


@dataclass(frozen=True, slots=True)
class ItemRevision:
    """One change in the life of an item."""

    changeset: Changeset
    what: str
    how: str
    quote: str
    can_undo: bool


def items(owner: Owner, layer: str, *, state: str, words: str) -> LearnedQuerySet:
    """Return an owner's items of a layer, newest first, as far as they match."""
    rows = rows_of(owner, layer).order_by("-is_pinned", "-pk")
    if state == WAITING:
        return rows.none()
    if state == "remembered":
        rows = rows.active()
    elif state == "held back":
        rows = rows.filter(is_quarantined=True)
    elif state == "no longer":
        rows = rows.past()
    asked = words.replace("\0", "").split()
    rows = rows.filter(may_hold(rows, PARTS[layer], asked, owner=owner.pk))
    for word in asked:
        wanted = Q()
        for field in WORDS[layer]:
            wanted |= Q(**{f"{field}__icontains": word})
        rows = rows.filter(wanted)
    return rows


def rows_of(owner: Owner, layer: str) -> LearnedQuerySet:
    rows: LearnedQuerySet = LEARNED[LAYERS[layer]].objects.all()
    mine = rows.within(scope_of(owner.agent, owner=owner.pk))
    return mine.defer("embedding") if layer != "rules" else mine


def cards(owner: Owner, layer: str, page: Sequence[Learned]) -> list[Card]:
    """Return rows in plain words, with what each took the place of, and what it said before."""
    before: dict[str, list[str]] = defaultdict(list)
    for row in rows_of(owner, layer).filter(superseded_by__in=[str(one.pk) for one in page]):
        before[row.superseded_by].append(words_of(row))
    corrected = corrections(owner, page)
    return [card(one, before[str(one.pk)], corrected.get(one.pk)) for one in page]


def words_by_id(owner: Owner, ids: Collection[UUID]) -> dict[str, str]:
    """Return what the items say that are still there, in as many queries as there are kinds."""
    found: dict[str, str] = {}
    for model in LEARNED.values():
        rows = model.objects.within(scope_of(owner.agent, owner=owner.pk)).filter(pk__in=ids)
        found |= {str(row.pk): words_of(row) for row in rows}
    return found


def lines_around(owner: Owner, item: Learned) -> list[EventLine]:
    """Return what was said around the first source of an item; none where it is not kept."""
    if item.source_session is None or not item.source_events:
        return []
    start = _digest(item.source_events[0])
    events = Event.objects.filter(owner=owner, session=item.source_session)
    source = events.filter(
        hash__gte=start + bytes(REFERENCE_BYTES), hash__lte=start + b"\xff" * REFERENCE_BYTES
    ).first()
    if source is None:
        return []
    near = events.filter(
        lane=source.lane, seq__gte=source.seq - AROUND, seq__lte=source.seq + AROUND
    )
    return [EventLine(event) for event in near.order_by("seq")]


def history(owner: Owner, item: Learned, actor: str) -> list[ItemRevision]:
    """Return what happened to an item, the newest first."""
    changes = ChangeItem.objects.filter(changeset__owner=owner, target=item.pk)
    found = changes.select_related("changeset").order_by("-pk")
    return [_step(one, actor) for one in found[:MOST_WAITING]]


def held(owner: Owner, layer: str = "") -> list[PendingItem]:
    """Return what conversations still under way may teach, of one layer or of all."""
    rows = Candidate.objects.held().filter(session__owner=owner).exclude(payload={})
    if layer:
        rows = rows.filter(lane=LANES.get(layer, ""))
    return [_candidate(row) for row in rows.order_by("-pk")[:MOST_WAITING]]


def asked(owner: Owner, layer: str = "") -> list[PendingItem]:
    """Return the changes that wait for somebody's word, of one layer or of all."""
    rows: QuerySet[ChangeItem] = ChangeItem.objects.filter(
        changeset__owner=owner, state=ChangeItem.State.WAITING
    )
    if layer:
        rows = rows.filter(kind=LAYERS[layer])
    return [
        PendingItem(row.pk, said(row.after) or ACT.get(row.act, row.act), row.quote, row.reason)
        for row in rows.order_by("-pk")[:MOST_WAITING]
    ]


def _candidate(row: Candidate) -> PendingItem:
    payload = row.payload
    text = str(payload.get("text") or said(payload))
    quotes = payload.get("evidence") or [payload.get("quote", "")]
    return PendingItem(
        row.pk, text, str(quotes[0]), "Kept when the conversation ends, if it holds."
    )


def _step(one: ChangeItem, actor: str) -> ItemRevision:
    made = one.changeset
    is_own = made.origin == Changeset.Origin.PERSON and made.actor == actor
    return ItemRevision(
        made,
        ACT.get(one.act, one.act),
        ORIGIN.get(made.origin, made.origin),
        one.quote,
        is_own and one.act == ChangeItem.Act.EDIT and made.reverted_at is None,
    )


def _digest(reference: str) -> bytes:
    return bytes.fromhex(reference.removeprefix("ev-"))
