"""Facts as key and value: save what was found."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.models import Owner
from knowledge.models import SavedFact


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact before it is saved; `source_event` is an event's reference, empty when not known."""

    key: str
    value: str
    category: str
    source_event: str = ""


def save_facts(
    *, owner: Owner, facts: Sequence[NewFact], session: UUID, source: str
) -> list[SavedFact]:
    """Save facts in one statement, in the caller's transaction; of a key the last value stays."""
    by_key = {fact.key: fact for fact in facts}
    rows = [
        SavedFact(
            owner=owner,
            key=fact.key,
            value=fact.value,
            category=fact.category,
            source=source,
            source_session=session,
            source_event=fact.source_event,
        )
        # In one order always: two savers of the same keys wait for each other, and never in a ring.
        for fact in sorted(by_key.values(), key=lambda fact: fact.key)
    ]
    return SavedFact.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["owner", "key"],
        update_fields=[
            "value",
            "category",
            "source",
            "source_session",
            "source_event",
            "updated_at",
        ],
    )
