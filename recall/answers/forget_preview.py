"""What a person may mean by "forget …": a preview, in which nothing changes."""

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

from accounts.billing import charged_to
from accounts.models import Owner
from knowledge.models import ChangeItem
from knowledge.stores.base import Kind, Namespace, StoreQuery, Value, model_name
from knowledge.stores.database import DATABASE
from recall.search.questions.question import SearchMode, prepare
from recall.search.ranking_profiles import PROFILES

MOST = 20
ITEM_KINDS = {
    Kind.SEMANTIC: ChangeItem.Kind.FACT,
    Kind.EPISODIC: ChangeItem.Kind.ARC,
    Kind.PROCEDURAL: ChangeItem.Kind.RULE,
}


@dataclass(frozen=True, slots=True)
class Forgettable:
    """An item that a question found, active or not. `kind` is that of a change."""

    kind: str
    id: UUID
    value: Value
    score: float


def find_forgettable(*, owner: Owner, query: str) -> list[Forgettable]:
    """Return facts, then arcs, then rules that answer a question, at most 20 of each, best first.

    What was superseded is found as well: it holds the same words.
    """
    with charged_to(owner):
        question = prepare(
            owner.agent, query, SearchMode.HYBRID, PROFILES[settings.RANKING_PROFILE]
        )
    model = model_name(question.space) if question.space else ""
    sought = StoreQuery(query, question.vector, model, with_inactive=True)
    return [
        Forgettable(ITEM_KINDS[kind], match.record.key, match.record.value, match.score)
        for kind in Kind
        for match in DATABASE.similar(Namespace(owner, kind), sought, limit=MOST)
    ]
