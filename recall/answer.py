"""Answer a recall: search, keep to the budget, write the receipt."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from accounts.models import Agent, Owner
from accounts.owners import scope_of
from memory.models import Session
from recall.errors import SessionUnknown
from recall.receipts import write_receipt
from recall.search import Filters, Found, Hit, Mode, search


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found. `receipt` is None when the agent knows nothing at all of the user."""

    found: Found
    receipt: UUID | None


def owner_of_session(*, agent: Agent, session: UUID) -> Owner:
    """Return whose memory a session belongs to. Raises SessionUnknown if the agent has not got it."""
    mine = Session.objects.within(scope_of(agent)).select_related("owner__agent")
    found = mine.filter(pk=session).first()
    if found is None:
        raise SessionUnknown("no such session")
    return found.owner


def recall(
    *,
    owner: Owner | None,
    query: str,
    limit: int,
    mode: Mode = Mode.HYBRID,
    filters: Filters | None = None,
    max_tokens: int | None = None,
) -> Answer:
    """Return the best hits within the budget, in tokens; None is no budget."""
    if owner is None:
        return Answer(Found(), None)
    found = search(owner=owner, query=query, limit=limit, mode=mode, filters=filters)
    kept, left_out = fit(found.hits, max_tokens)
    receipt = write_receipt(
        owner=owner,
        kind="recall",
        query=query,
        found=found,
        left_out=left_out,
        tokens=sum(hit.tokens for hit in kept),
    )
    return Answer(replace(found, hits=kept), receipt.pk)


def fit(hits: Sequence[Hit], max_tokens: int | None) -> tuple[list[Hit], list[Hit]]:
    """Part the hits into those that fit the budget, best first, and those that do not."""
    if max_tokens is None:
        return list(hits), []
    kept: list[Hit] = []
    left_out: list[Hit] = []
    left = max_tokens
    for hit in hits:
        fits = hit.tokens <= left
        (kept if fits else left_out).append(hit)
        left -= hit.tokens if fits else 0
    return kept, left_out
