"""Where no model is: no answer of one, but what memory has for the words, and a label that says so."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from accounts.models import Owner
from accounts.owners import scope_of
from consolidation.chat.prompt import RecalledBlock
from consolidation.learning.request import learn_what_waits
from memory.models import Session
from recall.models import Receipt
from recall.receipts.items import ItemText, Place, ReceiptItem, read_items, words_of

MODEL = "recollect-offline"
HITS = 5
# What the rules say in a model's place begins so: memory handed back is nothing to remember.
LABEL = "No language model is configured here, so nobody answers"
FOUND = f"{LABEL}. What memory finds for your words:"
NOTHING = f"{LABEL}, and memory finds nothing for your words."


def answer_offline(session: Session, remembered: RecalledBlock) -> str:
    """Return what memory has, under a label, and learn from what was said.

    The words are not stored: they can be said again from the receipt.
    """
    learn_what_waits(session=session)
    return offline_words(session.owner, remembered.receipt)


def offline_words(owner: Owner, receipt: UUID | None) -> str:
    """Return what a receipt holds, word for word and as it is today, the best first."""
    if receipt is None:
        return NOTHING
    mine = Receipt.objects.within(scope_of(owner.agent, owner=owner.pk))
    said = offline_replies(owner, list(mine.filter(pk=receipt).only("items")))
    return said.get(receipt, NOTHING)


def offline_replies(owner: Owner, receipts: Sequence[Receipt]) -> dict[UUID, str]:
    """Return the same for several receipts of an owner, in as many queries."""
    items = {one.pk: read_items(one.items) for one in receipts}
    words = words_of(owner, [item for found in items.values() for item in found])
    return {pk: _listed(found, words) for pk, found in items.items()}


def _listed(items: Sequence[ReceiptItem], words: Mapping[Place, ItemText]) -> str:
    known = [words[one.place] for one in sorted(items, key=_rank)]
    found = list(dict.fromkeys(one.text for one in known if one.text and not one.state))[:HITS]
    return "\n".join([FOUND, *(f"- {text}" for text in found)]) if found else NOTHING


def _rank(item: ReceiptItem) -> float:
    """Put first what was found for the words; what is in every prompt has no score."""
    return -(item.score or 0.0)
