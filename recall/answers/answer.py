"""Answer a recall: search, keep to the budget, widen, write the receipt."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Protocol, TypeVar
from uuid import UUID

from accounts.models import Agent, Owner
from accounts.owners import scope_of
from memory.models import Session
from recall.answers.around import Around, fit_around, load_around
from recall.errors import SessionUnknown
from recall.receipts.write import write_receipt
from recall.search.fuse import AnyHit, Blend, FusedQuestion, Through, search_stores
from recall.search.hits import Hit


class Sized(Protocol):
    """What takes up some of a budget."""

    @property
    def tokens(self) -> int: ...


Item = TypeVar("Item", bound=Sized)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found. `receipt` is None when there was no memory to ask, or it is another agent's.

    `around` tells by a hit's id what was said beside it; empty when nobody asked for it.
    """

    found: Blend
    receipt: UUID | None
    around: Mapping[UUID, Around] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BudgetedHits:
    """What was found, parted by the budget; `tokens` counts what is kept and what is around it."""

    found: Blend
    kept: Sequence[AnyHit]
    left_out: Sequence[AnyHit]
    around: Mapping[UUID, Around]
    tokens: int


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
    asked: FusedQuestion,
    knowledge: Owner | None = None,
    context: Owner | None = None,
    max_tokens: int | None = None,
    widen: int = 0,
) -> Answer:
    """Return the best hits within the budget, in tokens; None is no budget.

    `owner` is whose sessions are asked, `knowledge` whose documents, `context` whose documents of
    V; None leaves them out. `widen`
    is how many events beside each hit come with it, from what the hits leave of the budget.
    """
    begun = perf_counter()
    got = gather(
        owner=owner,
        asked=asked,
        knowledge=knowledge,
        context=context,
        max_tokens=max_tokens,
        widen=widen,
    )
    either = owner or knowledge or context
    if either is None:
        return Answer(got.found, None)
    receipt = write_receipt(
        owner=either,
        kind="recall",
        query=asked.query,
        found=got.found,
        left_out=got.left_out,
        tokens=got.tokens,
        begun=begun,
    )
    return Answer(replace(got.found, hits=got.kept), receipt, got.around)


def gather(
    *,
    owner: Owner | None,
    asked: FusedQuestion,
    knowledge: Owner | None,
    max_tokens: int | None,
    widen: int,
    through: Through = nullcontext,
    context: Owner | None = None,
) -> BudgetedHits:
    """Find what `recall` answers with. `through` opens what an owner's rows are read in."""
    found = search_stores(
        sessions=owner, knowledge=knowledge, context=context, asked=asked, through=through
    )
    kept, left_out = fit(found.hits, max_tokens)
    tokens = sum(hit.tokens for hit in kept)
    said = [hit for hit in kept if isinstance(hit, Hit)]
    around: Mapping[UUID, Around] = {}
    if owner and said and widen:
        with through(owner):
            around = load_around(owner=owner, hits=said, widen=widen)
    if max_tokens is not None:
        around = fit_around(around, max_tokens - tokens)
    tokens += sum(beside.tokens for beside in around.values())
    return BudgetedHits(found, kept, left_out, around, tokens)


def fit(hits: Sequence[Item], max_tokens: int | None) -> tuple[list[Item], list[Item]]:
    """Part the hits into those that fit the budget, best first, and those that do not."""
    if max_tokens is None:
        return list(hits), []
    kept: list[Item] = []
    left_out: list[Item] = []
    left = max_tokens
    for hit in hits:
        fits = hit.tokens <= left
        (kept if fits else left_out).append(hit)
        left -= hit.tokens if fits else 0
    return kept, left_out
