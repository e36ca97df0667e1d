"""The one shape of a memory, and the rows of each store as memories."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, time
from enum import StrEnum
from uuid import UUID

from knowledge.items.text import main_text
from knowledge.models import Arc, ContextDocument, Entry, Fact, KnowledgeDocument, Rule
from knowledge.models.learned import EntityType, Learned
from memory.messages import speaker_of, text_of
from memory.models import Chunk, Event
from recall.search.hits import Hit

QUOTE_CHARACTERS = 280
# A document without a name is named by its first words.
NAME_CHARACTERS = 60


class MemoryKind(StrEnum):
    """What a memory is: learned, summed up, said, or written on purpose."""

    FACT = "fact"
    RULE = "rule"
    SUMMARY = "summary"
    PASSAGE = "passage"
    NOTE = "note"
    DOCUMENT = "document"


class MemoryState(StrEnum):
    """Whether a memory counts: only an active one reaches a prompt."""

    ACTIVE = "active"
    WAITING = "waiting"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    DORMANT = "dormant"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory is from. `session` is None for what was said in none."""

    session: UUID | None = None
    events: Sequence[str] = ()
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """When a memory was said, and of which time it tells; None where nothing says so."""

    said_at: datetime
    happened_at: datetime | None = None
    holds_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing that is remembered.

    `about` names its subject, and is empty where there is none. `score` and `signals` are None
    outside a search. `version` is 0 for what has no versions.
    """

    id: UUID
    kind: MemoryKind
    text: str
    about: str
    span: Span
    state: MemoryState = MemoryState.ACTIVE
    source: Source = field(default_factory=Source)
    version: int = 0
    is_pinned: bool = False
    score: float | None = None
    signals: Mapping[str, float | bool] | None = None


def span_of(item: Fact | Rule) -> Span:
    """Return when a learned item was said and of which time it tells."""
    if not isinstance(item, Fact):
        return Span(said_at=item.created_at)
    said_at = item.said_at or item.created_at
    return Span(
        said_at, happened_at=_begin_of(item.happened), holds_until=_end_of(item.holds_until)
    )


def _begin_of(happened: str) -> datetime | None:
    """Return the beginning of a day, month, year or span as facts hold it; None for no time."""
    begin = happened.partition("/")[0]
    filled = begin + "0001-01-01"[len(begin) :] if begin else ""
    return datetime.combine(date.fromisoformat(filled), time.min, tzinfo=UTC) if filled else None


def _end_of(day: date | None) -> datetime | None:
    """Return the moment at which a day is over."""
    return datetime.combine(day, time.max, tzinfo=UTC) if day else None


def note_id(entry: int) -> UUID:
    """Return the id of a note as a memory: its number, which no other store's id can be."""
    return UUID(int=entry)


def note_number(memory: UUID) -> int | None:
    """Return the key of the note that a memory is; None where it is none."""
    return memory.int if memory.int < 2**63 else None


def of_fact(fact: Fact) -> Memory:
    about = "user" if fact.subject_type == EntityType.USER else fact.subject
    return _learned(fact, MemoryKind.FACT, about, span_of(fact), fact.evidence_quote)


def of_rule(rule: Rule) -> Memory:
    return _learned(rule, MemoryKind.RULE, "answers", span_of(rule), "\n".join(rule.evidence))


def of_arc(arc: Arc) -> Memory:
    span = Span(arc.ended_at, happened_at=arc.started_at)
    return _learned(arc, MemoryKind.SUMMARY, ", ".join(arc.themes), span, arc.summary)


def of_note(entry: Entry) -> Memory:
    """Return a note, or the archive that compaction left."""
    return Memory(
        id=note_id(entry.pk),
        kind=MemoryKind.NOTE,
        text=entry.content,
        about=entry.name,
        span=Span(entry.updated_at),
        source=Source(quote=_quote(entry.content)),
        version=entry.version,
    )


def of_document(row: ContextDocument) -> Memory:
    return Memory(
        id=row.pk,
        kind=MemoryKind.DOCUMENT,
        text=row.content,
        about=row.filename or row.content[:NAME_CHARACTERS],
        span=Span(row.created_at),
        source=Source(events=[str(event) for event in row.events], quote=_quote(row.content)),
    )


def of_knowledge(row: KnowledgeDocument) -> Memory:
    return Memory(
        id=row.pk,
        kind=MemoryKind.DOCUMENT,
        text=row.content,
        about=row.key or row.content[:NAME_CHARACTERS],
        span=Span(row.updated_at),
        source=Source(quote=_quote(row.content)),
        version=row.version,
    )


def of_chunk(chunk: Chunk) -> Memory:
    source = Source(chunk.session_id, quote=_quote(chunk.text))
    return Memory(
        id=chunk.pk,
        kind=MemoryKind.PASSAGE,
        text=chunk.text,
        about=chunk.speaker,
        span=Span(chunk.occurred_at),
        source=source,
    )


def of_hit(hit: Hit) -> Memory:
    """Return a passage that a search found."""
    return Memory(
        id=hit.id,
        kind=MemoryKind.PASSAGE,
        text=hit.text,
        about=hit.speaker,
        span=Span(hit.occurred_at),
        source=Source(hit.session, [str(event) for event in hit.events], _quote(hit.text)),
        signals=asdict(hit.signals),
    )


def of_event(event: Event) -> Memory:
    """Return what was said in a session that has not been cut into passages yet."""
    text = text_of(event.content)
    return Memory(
        id=event.pk,
        kind=MemoryKind.PASSAGE,
        text=text,
        about=speaker_of(event.type, event.content),
        span=Span(event.occurred_at),
        source=Source(event.session_id, [str(event.pk)], _quote(text)),
    )


def state_of(item: Learned) -> MemoryState:
    if item.is_quarantined:
        return MemoryState.QUARANTINED
    if item.superseded_by:
        return MemoryState.SUPERSEDED
    return MemoryState.ACTIVE if item.is_active else MemoryState.DORMANT


def _learned(
    item: Fact | Rule | Arc, kind: MemoryKind, about: str, span: Span, quote: str
) -> Memory:
    text = item.text if isinstance(item, Rule) else main_text(item)
    return Memory(
        id=item.pk,
        kind=kind,
        text=text,
        about=about,
        span=span,
        state=state_of(item),
        source=Source(item.source_session, list(item.source_events), _quote(quote)),
        version=item.version,
        is_pinned=item.is_pinned,
    )


def _quote(text: str) -> str:
    return text[:QUOTE_CHARACTERS]
