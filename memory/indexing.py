"""Cut an ended session into chunks and write what they are found by."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from memory.chunking import ChunkedEvent, EventBlock, blocks
from memory.messages import call_ids, is_command, speaker_of, text_of
from memory.models import Chunk, Event, OwnerIndex, Session
from memory.models.document import Unit
from memory.models.window import Lane
from memory.postings import Terms, count_terms, lock_index, post
from memory.redaction import redacted
from memory.tokenizer import count
from ranking.languages import detect
from ranking.passages import header, passages


@dataclass(frozen=True, slots=True)
class Plan:
    """The chunks of a session, unnumbered, and how often each of their terms stands in them."""

    chunks: list[Chunk] = field(default_factory=list)
    terms: list[Terms] = field(default_factory=list)


def index_text(chunk: Chunk) -> str:
    """Return the text a chunk is indexed and embedded as: date and speaker before its words."""
    return header(chunk.occurred_at, chunk.speaker) + chunk.text


def plan_chunks(session: Session, *, language: str) -> Plan:
    """Read an ended session's log and cut it. Reads only: the log no longer changes."""
    plan = Plan()
    for place, (lane, block) in enumerate(_blocks(session)):
        for chunk in _chunks(session, lane, block, language):
            chunk.block = place
            plan.chunks.append(chunk)
            plan.terms.append(count_terms(index_text(chunk), chunk.language))
    return plan


def write_chunks(session: Session, plan: Plan) -> int:
    """Write a plan in the caller's transaction; return the number of chunks.

    A session that has its chunks already is left as it is, and 0 is returned.
    """
    index = lock_index(session.owner_id)
    fresh = Session.objects.filter(pk=session.pk, number=None).update(
        number=index.next_session, tier=Session.Tier.MID_TERM
    )
    if not fresh:
        return 0
    for number, chunk in enumerate(plan.chunks, start=index.next_chunk):
        chunk.number = number
        chunk.block += index.next_block
    Chunk.objects.bulk_create(plan.chunks, batch_size=500)
    whole = sum(plan.terms, Counter[int]())
    numbered = zip((chunk.number for chunk in plan.chunks), plan.terms, strict=True)
    post(session.owner_id, Unit.CHUNK, numbered)
    post(session.owner_id, Unit.SESSION, [(index.next_session, whole)])
    _grow(index, plan, whole)
    return len(plan.chunks)


def _blocks(session: Session) -> Iterator[tuple[Lane, EventBlock]]:
    for lane in Lane:
        mine = Event.objects.audible().filter(session=session, lane=lane)
        events = mine.filter(payload__isnull=False)
        rows = events.order_by("seq")
        said = [_said(event) for event in rows if not is_command(event.type, event.content)]
        yield from ((lane, block) for block in blocks(said))


def _said(event: Event) -> ChunkedEvent:
    payload = event.content
    return ChunkedEvent(
        seq=event.seq,
        speaker=speaker_of(event.type, payload),
        # What is found again holds no secret; the log keeps the words, and the person may delete them.
        text=redacted(text_of(payload)),
        occurred_at=event.occurred_at,
        calls=call_ids(payload),
        answers=event.tool_call_id,
        skill_phase=event.skill_phase,
    )


def _chunks(session: Session, lane: Lane, block: EventBlock, language: str) -> Iterator[Chunk]:
    first, last = block.events[0], block.events[-1]
    for place, text in enumerate(passages(block.text)):
        yield Chunk(
            owner_id=session.owner_id,
            session=session,
            lane=lane,
            kind=block.kind,
            first_seq=first.seq,
            last_seq=last.seq,
            passage=place,
            speaker=first.speaker,
            occurred_at=first.occurred_at,
            text=text,
            language=detect(text, language),
            tokens=count(text),
        )


def _grow(index: OwnerIndex, plan: Plan, whole: Terms) -> None:
    index.next_chunk += len(plan.chunks)
    index.next_block = plan.chunks[-1].block + 1 if plan.chunks else index.next_block
    index.next_session += 1
    index.chunks += len(plan.chunks)
    index.chunk_terms += whole.total()
    index.sessions += 1
    index.session_terms += whole.total()
    index.save()
