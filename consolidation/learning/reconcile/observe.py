"""Facts that were learned through the gate, as observations: nobody has to ask for them."""

from collections.abc import Mapping, Sequence, Set
from datetime import datetime

from consolidation.deletion.forget import footprint_of
from consolidation.deletion.places.picture import PICTURE, take_out_of_picture
from consolidation.deletion.trace import Deletion, Finding
from consolidation.learning.reconcile.dates import when_said
from consolidation.models import ContextEvent
from consolidation.observations.record import LONGEST, observe
from knowledge.models import ChangeItem, Changeset, Fact
from knowledge.models.learned import EntityType
from knowledge.models.profile import Channel
from ranking.tokens import meaningful

Act, Kind, State, Type = ChangeItem.Act, ChangeItem.Kind, ChangeItem.State, ContextEvent.Type
# What kind of observation a fact of a category is; any other is a fact.
TYPES: Mapping[str, ContextEvent.Type] = {
    "preference": Type.PREFERENCE,
    "goal": Type.PROJECT_DETAILS,
    "project": Type.PROJECT_DETAILS,
    "plan": Type.PROJECT_DETAILS,
    "decision": Type.PROJECT_DETAILS,
}


def observe_facts(made: Changeset) -> None:
    """Put each fact that a changeset has added on the bus, once, in the caller's transaction.

    One that took the place of another is a correction, and what the picture says of the other one
    is taken out in the same changeset. What is in quarantine is no observation.
    """
    if not made.owner.agent.keeps_profile:
        return
    items = list(made.items.filter(kind=Kind.FACT, state=State.APPLIED))
    mine = Fact.objects.filter(owner=made.owner).order_by("pk")
    retired = mine.filter(pk__in=[item.target for item in items if item.act == Act.RETIRE])
    added = mine.filter(pk__in=[item.target for item in items if item.act == Act.ADD])
    facts = list(added.filter(is_quarantined=False))
    _take_out_retired(made, list(retired), facts)
    replacing = {str((item.after or {}).get("superseded_by")) for item in items}
    said_at = _said_at(made, facts)
    for fact in facts:
        observe(
            owner=made.owner,
            event_type=_type(fact, replacing),
            content=words_of(fact),
            source=Channel.INTERACTIVE,
            session=fact.source_session,
            observed_at=fact.said_at or said_at.get(fact.source_turn),
            key=f"{Kind.FACT}:{fact.pk}",
            message=next(iter(fact.source_events), ""),
        )


def words_of(fact: Fact) -> str:
    """Return a fact as an observation says it: its statement, with the user's own words behind it."""
    subject = "The user" if fact.subject_type == EntityType.USER else fact.subject
    told = fact.statement or f"{subject} {fact.predicate} {fact.object}"
    words = f'{told} \u2014 "{fact.evidence_quote}"' if fact.evidence_quote else told
    return words if len(words) <= LONGEST else told[:LONGEST]


def _take_out_retired(made: Changeset, retired: Sequence[Fact], added: Sequence[Fact]) -> None:
    """Take what a picture says of facts that hold no more out of it, as items of the changeset.

    What the new facts say as well still holds, and stays.
    """
    if not retired:
        return
    footprint = footprint_of(Deletion.of_facts(made.owner, retired), PICTURE)
    new = _meant(added)
    gone = _meant(retired) - new
    outdated = {
        name: [entry for entry in entries if not _holds(entry, new, gone)]
        for name, entries in footprint.items()
    }
    take_out_of_picture(made, outdated)


def _meant(facts: Sequence[Fact]) -> frozenset[str]:
    return frozenset(word for fact in facts for word in meaningful(fact.statement or fact.object))


def _holds(entry: Finding, new: Set[str], gone: Set[str]) -> bool:
    """Return whether part of a picture says a word of the new facts, and none of the old alone."""
    texts = (entry.get(name) for name in ("text", "value", "members", "content"))
    words = meaningful(" ".join(str(text) for text in texts if text))
    return not new.isdisjoint(words) and gone.isdisjoint(words)


def _type(fact: Fact, replacing: set[str]) -> ContextEvent.Type:
    if str(fact.pk) in replacing:
        return Type.CORRECTION
    return TYPES.get(str(fact.category), Type.FACT)


def _said_at(made: Changeset, facts: Sequence[Fact]) -> dict[int, datetime]:
    """Return when each of the user's messages was said that facts were learned from."""
    if made.session is None:
        return {}
    said = when_said({(made.session, fact.source_turn) for fact in facts})
    return {turn: at for (_, turn), at in said.items()}
