"""Facts that were learned through the gate, as observations: nobody has to ask for them."""

from collections.abc import Sequence
from datetime import datetime

from consolidation.learning.reconcile.dates import when_said
from consolidation.models import ContextEvent
from consolidation.observations.record import observe
from knowledge.models import ChangeItem, Changeset, Fact
from knowledge.models.learned import Category
from knowledge.models.profile import Channel

Act, Kind, State, Type = ChangeItem.Act, ChangeItem.Kind, ChangeItem.State, ContextEvent.Type


def observe_facts(made: Changeset) -> None:
    """Put each fact that a changeset has added on the bus, once, in the caller's transaction.

    One that took the place of another is a correction. What is in quarantine is none.
    """
    if not made.owner.agent.keeps_profile:
        return
    items = list(made.items.filter(kind=Kind.FACT, state=State.APPLIED))
    added = [item.target for item in items if item.act == Act.ADD]
    mine = Fact.objects.filter(owner=made.owner, pk__in=added, is_quarantined=False)
    facts = list(mine.order_by("pk"))
    replacing = {str((item.after or {}).get("superseded_by")) for item in items}
    said_at = _said_at(made, facts)
    for fact in facts:
        observe(
            owner=made.owner,
            event_type=_type(fact, replacing),
            content=fact.statement or fact.evidence_quote,
            source=Channel.INTERACTIVE,
            session=fact.source_session,
            observed_at=fact.said_at or said_at.get(fact.source_turn),
            key=f"{Kind.FACT}:{fact.pk}",
        )


def _type(fact: Fact, replacing: set[str]) -> ContextEvent.Type:
    if str(fact.pk) in replacing:
        return Type.CORRECTION
    return Type.PREFERENCE if fact.category == Category.PREFERENCE else Type.FACT


def _said_at(made: Changeset, facts: Sequence[Fact]) -> dict[int, datetime]:
    """Return when each of the user's messages was said that facts were learned from."""
    if made.session is None:
        return {}
    said = when_said({(made.session, fact.source_turn) for fact in facts})
    return {turn: at for (_, turn), at in said.items()}
