"""Write down what a recall or a prompt contained."""

from collections.abc import Sequence

from django.db import connection, transaction

from accounts.models import Owner
from memory.models import Session
from recall.blended import Blend
from recall.knowledge import KnowledgeHit
from recall.models import Receipt
from recall.search import Found, Hit


def write_receipt(
    *,
    owner: Owner,
    kind: str,
    query: str,
    found: Found | Blend,
    session: Session | None = None,
    left_out: Sequence[Hit | KnowledgeHit] = (),
    tokens: int = 0,
) -> Receipt:
    """Store a receipt. `left_out` are hits that did not fit the budget.

    Nobody waits for its commit: a receipt lost in a crash is one that was never answered with.
    """
    kept = [hit for hit in found.hits if hit not in left_out]
    receipt = Receipt(
        owner=owner,
        session=session,
        kind=kind,
        query=query,
        profile=found.profile,
        searched_by=found.searched_by,
        degraded=found.degraded,
        items=[_item(hit) for hit in kept],
        left_out=[_item(hit) for hit in left_out],
        tokens=tokens,
    )
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("set local synchronous_commit = off")
        receipt.save(force_insert=True)
    return receipt


def _item(hit: Hit | KnowledgeHit) -> dict[str, object]:
    signals = hit.signals
    shown: dict[str, object] = {
        "id": str(hit.id),
        "score": round(hit.score, 4),
        "signals": {
            "words": round(signals.words, 4),
            "meaning": round(signals.meaning, 4),
            "neighbours": round(signals.neighbours, 4),
            "session": round(signals.session, 4),
            "names_speaker": signals.names_speaker,
        },
    }
    # A receipt names the store only where it is not the one that all are of by default.
    return shown | {"store": "knowledge"} if isinstance(hit, KnowledgeHit) else shown
