"""Move an owner's older sessions from mid-term to long-term memory."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Owner
from memory.indexing import index_text
from memory.models import Chunk, Embedding, OwnerIndex, Session
from memory.models.document import Unit
from memory.models.window import Lane
from memory.postings import count_terms, lock_index, post
from memory.tokenizer import count
from ranking.languages import detect
from ranking.passages import passages

SPEAKER = "summary"


def beyond(owner: Owner, sessions: int) -> QuerySet[Session]:
    """Return the owner's sessions in mid-term memory that are older than the newest `sessions`.

    One in which nothing was said takes nobody's place.
    """
    ended = Session.objects.filter(owner=owner, tier=Session.Tier.MID_TERM)
    mid_term = ended.filter(last_event_at__isnull=False)
    newest = mid_term.order_by("-ended_at", "-pk").values("pk")[:sessions]
    return mid_term.exclude(pk__in=list(newest.values_list("pk", flat=True))).order_by("ended_at")


@transaction.atomic
def promote(*, session: Session, language: str, keeps_vectors: bool) -> bool:
    """Move one session to long-term memory, at once for every reader; False if it is there already.

    The parts of its summary become chunks that wait for vectors. The details keep their text and
    their words, and their vectors only if `keeps_vectors`. No event is touched.
    """
    index = lock_index(session.owner_id)
    moved = Session.objects.filter(pk=session.pk, tier=Session.Tier.MID_TERM)
    if not moved.update(tier=Session.Tier.LONG_TERM):
        return False
    details = Chunk.objects.filter(session=session)
    details.update(tier=Chunk.Tier.LONG_TERM_DETAIL)
    if not keeps_vectors:
        _drop_vectors(session, details)
    _add_parts(index, session, language)
    return True


@transaction.atomic
def write_late_summary(*, session: Session, language: str) -> bool:
    """Add a summary that came after its session was moved to long-term memory.

    Return whether there is something that waits for a vector now.
    """
    index = lock_index(session.owner_id)
    moved = Session.objects.filter(pk=session.pk, tier=Session.Tier.LONG_TERM)
    has_parts = Chunk.objects.filter(session=session, tier=Chunk.Tier.LONG_TERM_SUMMARY).exists()
    if not session.summary or has_parts or not moved.exists():
        return False
    _add_parts(index, session, language)
    return True


@transaction.atomic
def apply_rule(*, session: Session, keeps_vectors: bool) -> int:
    """Bring a session of long-term memory under a changed rule; return how many details changed."""
    details = Chunk.objects.filter(session=session, tier=Chunk.Tier.LONG_TERM_DETAIL)
    if not keeps_vectors:
        state = Chunk.EmbeddingState.DROPPED
        return _drop_vectors(session, details.exclude(embedding_state=state))
    dropped = details.filter(embedding_state=Chunk.EmbeddingState.DROPPED)
    return dropped.update(embedding_state=Chunk.EmbeddingState.PENDING, embedding_attempts=0)


def _drop_vectors(session: Session, details: QuerySet[Chunk]) -> int:
    # The rows are locked before their vectors go: one that is being written waits, and goes too.
    numbers = list(details.select_for_update().values_list("number", flat=True))
    Chunk.objects.filter(owner=session.owner_id, number__in=numbers).update(
        embedding_state=Chunk.EmbeddingState.DROPPED
    )
    Embedding.objects.filter(owner_id=session.owner_id, document__in=numbers).delete()
    return len(numbers)


def _add_parts(index: OwnerIndex, session: Session, language: str) -> None:
    parts = list(_parts(session, language))
    for place, chunk in enumerate(parts):
        chunk.number, chunk.block = index.next_chunk + place, index.next_block + 1
    Chunk.objects.bulk_create(parts)
    terms = [count_terms(index_text(chunk), chunk.language) for chunk in parts]
    numbered = zip((chunk.number for chunk in parts), terms, strict=True)
    post(session.owner_id, Unit.CHUNK, numbered)
    index.next_chunk += len(parts)
    # A block of its own, with a gap before it: a summary is nobody's neighbour.
    index.next_block += 2
    index.chunks += len(parts)
    index.chunk_terms += sum(counted.total() for counted in terms)
    index.save()


def _parts(session: Session, language: str) -> Iterable[Chunk]:
    """Cut a summary into chunks; they stand for no event of the log, which begins at 1."""
    for place, text in enumerate(passages(session.summary)):
        yield Chunk(
            owner_id=session.owner_id,
            session=session,
            lane=Lane.EDGE,
            tier=Chunk.Tier.LONG_TERM_SUMMARY,
            kind=Chunk.Kind.SUMMARY,
            first_seq=0,
            last_seq=0,
            passage=place,
            speaker=SPEAKER,
            occurred_at=session.ended_at or session.opened_at,
            text=text,
            language=detect(text, language),
            tokens=count(text),
        )
