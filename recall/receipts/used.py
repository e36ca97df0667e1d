"""Which of the saved facts that a prompt held its reply made use of."""

from uuid import UUID

from accounts.owners import scope_of
from knowledge.models import SavedFact
from ranking.similarity import token_recall
from ranking.tokens import meaningful
from recall.models import Receipt

STORE = "saved_facts"
# So much of a fact's value has to be in the reply.
USED = 0.6


def used(receipt: Receipt, reply: str) -> list[UUID]:
    """Return the facts of a prompt's receipt whose values the reply says again, in their words."""
    said = set(meaningful(reply))
    ids = [item["id"] for item in receipt.items if item.get("store") == STORE]
    mine = SavedFact.objects.within(scope_of(receipt.owner.agent, owner=receipt.owner_id))
    facts = mine.filter(pk__in=ids).only("value").order_by("pk")
    return [fact.pk for fact in facts if token_recall(meaningful(fact.value), said) >= USED]
