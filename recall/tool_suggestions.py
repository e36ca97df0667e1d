"""Which tools a user's requests like this one have needed before."""

from dataclasses import dataclass
from uuid import UUID

from accounts.models import Owner
from accounts.owners import scope_of
from knowledge.models import Pattern
from ranking.similarity import token_recall
from ranking.tokens import meaningful

# Below it the request shares a word with what the tool was used for, and no more.
LEAST_OVERLAP = 0.25


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A tool, how well it fits from 0 to 1, and the pattern and sessions it was learned from."""

    tool: str
    score: float
    reason: str
    pattern: UUID
    sessions: list[UUID]


def suggest_tools(*, owner: Owner, request: str, limit: int = 3) -> list[Suggestion]:
    """Return the tools that fit a request, the best first; none if no pattern speaks for any.

    score = share of the request's words that the tool was used for, times (1 + strength) / 2.
    """
    asked = set(meaningful(request))
    found = [
        Suggestion(one.key, fit * (0.5 + one.strength / 2), one.text, one.pk, list(one.sessions))
        for one in Pattern.objects.within(scope_of(owner.agent, owner=owner.pk))
        if isinstance(one, Pattern) and one.kind == Pattern.Kind.TOOL
        if (fit := token_recall(asked, one.words)) >= LEAST_OVERLAP
    ]
    return sorted(found, key=lambda one: (-one.score, one.tool))[:limit]
