"""Raise the salience of the saved facts that a reply made use of."""

from collections.abc import Sequence

from django.utils import timezone

from consolidation.jobs.queue import Attempt, enqueue, holding
from knowledge.saved_facts.salience import decay_facts, touch
from memory.messages import text_of
from memory.models import Event, Session
from recall.models import Receipt
from recall.receipts.used import STORE, used

KIND = "used_facts"


def note_use(*, session: Session, stored: Sequence[Event]) -> None:
    """Make a job for each new answer whose prompt held saved facts, in the caller's transaction."""
    answers = [event for event in stored if event.type == Event.Type.MODEL_OUTPUT]
    if not answers or not any(map(_is_fact, _items(_latest(session)))):
        return
    for event in answers:
        key = f"{session.pk}:{event.lane}:{event.seq}"
        enqueue(kind=KIND, key=key, subject=f"{KIND}:{session.pk}", owner=session.owner_id)


def run(job: Attempt) -> None:
    """Compare one answer with what its prompt held, and count the facts that it used."""
    session_id, lane, seq = job.key.split(":")
    rows = Event.objects.select_related("session__owner__agent")
    event = rows.filter(session_id=session_id, lane=lane, seq=int(seq)).first()
    receipt = _latest(event.session, event) if event else None
    if event is None or receipt is None:
        return
    ids = used(receipt, text_of(event.content))
    with holding(job):
        touch(owner=event.session.owner, ids=ids)


def decay(job: Attempt) -> None:
    """Let saved facts fade that have not for a while."""
    decay_facts(timezone.now())


def _latest(session: Session, before: Event | None = None) -> Receipt | None:
    """Return the receipt of the session's last prompt, before an event if one is given."""
    rows = Receipt.objects.select_related("owner__agent").filter(
        session=session, kind=Receipt.Kind.CONTEXT
    )
    if before is not None:
        rows = rows.filter(created_at__lte=before.committed_at)
    return rows.order_by("-created_at").first()


def _items(receipt: Receipt | None) -> Sequence[dict[str, object]]:
    return receipt.items if receipt else ()


def _is_fact(item: dict[str, object]) -> bool:
    return item.get("store") == STORE
