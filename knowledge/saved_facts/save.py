"""Facts as key and value: save what was found, change it, and delete it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone
from pgvector import HalfVector
from pgvector.django import CosineDistance

from accounts.models import Owner
from accounts.owners import scope_of
from audit.log import record
from knowledge.errors import FactUnknown
from knowledge.models import SavedFact
from knowledge.saved_facts.alike import says_the_same
from knowledge.saved_facts.categories import GENERAL, Embedded, file_fact
from knowledge.saved_facts.salience import TOUCHED, reinforce

# Below this two wordings are never one fact; above it their words decide.
SAME = 0.93
MOST_COMPARED = 10
# The keys of an owner are given under one lock: nobody saves a key that another is just saving.
LOCK = "select pg_advisory_xact_lock(hashtextextended('saved_facts', %s))"


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact before it is saved; `source_event` is an event's reference, empty when not known."""

    key: str
    value: str
    category: str = GENERAL
    source_event: str = ""
    confidence: float = 1.0


NO_VECTORS: Mapping[str, Embedded] = {}


@transaction.atomic
def save_facts(
    *,
    owner: Owner,
    facts: Sequence[NewFact],
    session: UUID | None,
    source: str,
    vectors: Mapping[str, Embedded] = NO_VECTORS,
) -> list[SavedFact]:
    """Save facts, each under its key; of a key the last value stays.

    What is saved again keeps its category and where it came from, and matters more. Nothing is
    written under another key: a fact that says no more than one that is there raises that one. `vectors` are
    those that are known already, by key; who has none gets one in the background.
    """
    if not facts:
        return []
    with connection.cursor() as cursor:
        cursor.execute(LOCK, (owner.pk,))
    by_key = {fact.key: fact for fact in facts}
    mine = SavedFact.objects.within(scope_of(owner.agent, owner=owner.pk)).defer("tsv")
    rows = mine.filter(key__in=by_key).order_by("pk").select_for_update()
    known = {row.key: row for row in rows}
    saved = []
    for key, fact in by_key.items():
        found = vectors.get(key)
        same = _same(owner, fact, found) if found and key not in known else None
        if same:
            saved.append(_raise(same))
            continue
        old = known.get(key)
        row = _again(old, fact) if old else _first(owner, fact, session, source)
        if found:
            file_fact(row, found)
        saved.append(row)
    return saved


@transaction.atomic
def change_fact(*, owner: Owner, id: UUID, fields: Mapping[str, str], actor: str) -> SavedFact:
    """Change value or category of a fact, as a person wants it. Raises FactUnknown."""
    row = find_fact(owner=owner, id=id)
    for name, value in fields.items():
        setattr(row, name, value)
    if "value" in fields:
        row.embedding, row.space = None, None
    if "category" in fields:
        row.filed_under = None
        row.embedding, row.space = None, None
    row.save(update_fields=[*fields, "filed_under", "embedding", "space", "updated_at"])
    record(actor=actor, action="saved_fact.change", subject=str(id))
    return row


def find_fact(*, owner: Owner, id: UUID) -> SavedFact:
    """Return a fact of an owner. Raises FactUnknown."""
    mine = SavedFact.objects.within(scope_of(owner.agent, owner=owner.pk)).defer("tsv")
    row = mine.filter(pk=id).first()
    if row is None:
        raise FactUnknown("there is no such saved fact")
    return row


def embedded_text(fact: SavedFact | NewFact) -> str:
    """Return the text that a fact's vector is made of."""
    return f"{fact.key}: {fact.value}"


def _same(owner: Owner, fact: NewFact, found: Embedded) -> SavedFact | None:
    """Return the fact under another key that says the same, of a category that does not forbid it."""
    mine = SavedFact.objects.within(scope_of(owner.agent, owner=owner.pk)).defer("tsv")
    near = mine.filter(space=found.space, embedding__isnull=False).select_for_update()
    distance = CosineDistance("embedding", HalfVector(found.vector))
    for row in near.annotate(distance=distance).order_by("distance", "pk")[:MOST_COMPARED]:
        if 1 - getattr(row, "distance", 2.0) < SAME:
            return None
        either = {row.category.casefold(), fact.category.casefold()}
        if (len(either) == 1 or GENERAL in either) and _is_one(row, fact):
            return row
    return None


def _is_one(row: SavedFact, fact: NewFact) -> bool:
    """Return whether value and key together say the same; a key cut from its value says nothing."""
    return says_the_same(row.value, fact.value) and (
        says_the_same(row.key, fact.key)
        or (_is_of_value(row.key, row.value) and _is_of_value(fact.key, fact.value))
    )


def _is_of_value(key: str, value: str) -> bool:
    return value.startswith(key)


def _raise(row: SavedFact) -> SavedFact:
    """Let a fact that was said again matter more, and stay as it is."""
    reinforce(row, timezone.now())
    row.save(update_fields=TOUCHED)
    return row


def _again(row: SavedFact, fact: NewFact) -> SavedFact:
    if row.value != fact.value:
        row.embedding, row.space = None, None
    row.value, row.confidence = fact.value, fact.confidence
    reinforce(row, timezone.now())
    changed = ["value", "confidence", "embedding", "space", "updated_at", *TOUCHED]
    row.save(update_fields=changed)
    return row


def _first(owner: Owner, fact: NewFact, session: UUID | None, source: str) -> SavedFact:
    return SavedFact.objects.create(
        owner=owner,
        key=fact.key,
        value=fact.value,
        category=fact.category,
        confidence=fact.confidence,
        source=source,
        source_session=session,
        source_event=fact.source_event,
    )
