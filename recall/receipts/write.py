"""Write down what a recall or a prompt contained."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from uuid import UUID

import orjson
from django.utils import timezone
from psycopg.types.json import Jsonb

from accounts.driver import run
from accounts.ids import new_id
from accounts.models import Owner
from memory.models import Session
from memory.redaction import redacted
from recall.search.context import ContextHit
from recall.search.documents import KnowledgeHit
from recall.search.fuse import AnyHit, Blend
from recall.search.hits import SearchResult

# The setting goes with the row, for this transaction alone: one trip to the server instead of four.
INSERT = """
insert into recall_receipt (id, owner_id, session_id, kind, query, profile, searched_by, degraded,
                            items, left_out, tokens, took_ms, created_at)
select %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s
from set_config('synchronous_commit', 'off', true)
"""


@dataclass(frozen=True, slots=True)
class ReceiptedItems:
    """Rules, arcs and facts as a receipt names them: those in a prompt, and those left out."""

    kept: Sequence[Mapping[str, object]] = ()
    left_out: Sequence[Mapping[str, object]] = ()


NOTHING_LEARNED = ReceiptedItems()


def write_receipt(
    *,
    owner: Owner,
    kind: str,
    query: str,
    found: SearchResult | Blend,
    session: Session | None = None,
    left_out: Sequence[AnyHit] = (),
    learned: ReceiptedItems = NOTHING_LEARNED,
    tokens: int = 0,
    begun: float,
) -> UUID:
    """Store a receipt and return its id. `left_out` are hits that did not fit the budget.

    `begun` is `perf_counter()` when the work for its answer began.

    Nobody waits for its commit: a receipt lost in a crash is one that was never answered with.
    """
    items, cut = named(found, left_out, learned)
    receipt = new_id()
    values = (
        receipt,
        owner.pk,
        session.pk if session else None,
        kind,
        redacted(query),
        found.profile,
        found.searched_by,
        found.degraded,
        Jsonb(items, orjson.dumps),
        Jsonb(cut, orjson.dumps),
        tokens,
        (perf_counter() - begun) * 1_000,
        timezone.now(),
    )
    run(INSERT, values)
    return receipt


def named(
    found: SearchResult | Blend, left_out: Sequence[AnyHit], learned: ReceiptedItems
) -> tuple[list[Mapping[str, object]], list[Mapping[str, object]]]:
    """Return what a receipt names as held, and as left out, without a word of it."""
    without = {hit.id for hit in left_out}
    kept = [hit for hit in found.hits if hit.id not in without]
    return (
        [*learned.kept, *(_item(hit) for hit in kept)],
        [*learned.left_out, *(_item(hit) for hit in left_out)],
    )


def _item(hit: AnyHit) -> dict[str, object]:
    signals = hit.signals
    shown: dict[str, object] = {
        "id": str(hit.id),
        "score": round(hit.score, 4),
        "signals": {name: round(value, 4) for name, value in asdict(signals).items()},
    }
    # A receipt names the store only where it is not the one that all are of by default.
    if isinstance(hit, KnowledgeHit | ContextHit):
        shown["store"] = "knowledge" if isinstance(hit, KnowledgeHit) else "context"
    return shown
