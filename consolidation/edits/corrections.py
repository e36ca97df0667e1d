"""What was concluded from a fact goes when a person corrects it, and the processor is told anew."""

from collections.abc import Mapping
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Owner
from consolidation.deletion.forget import footprint_of
from consolidation.deletion.places.observations import observations_of
from consolidation.deletion.places.picture import PICTURE, take_out_of_picture
from consolidation.deletion.trace import Deletion
from consolidation.embedding import context as context_vectors
from consolidation.embedding import learned as learned_vectors
from consolidation.learning.reconcile.observe import words_of
from consolidation.models import ContextEvent
from consolidation.observations.record import observe
from knowledge.changes import review
from knowledge.changes.apply import edit_item
from knowledge.changes.corrections import rewords
from knowledge.items.rows import find_item, lock_memory
from knowledge.models import ChangeItem, Changeset, Fact
from knowledge.models.profile import Channel

Act, Kind, Type = ChangeItem.Act, ChangeItem.Kind, ContextEvent.Type
# Why an observation is not worked in, or not any more.
CORRECTED = "corrected"


@transaction.atomic
def correct_item(
    *,
    owner: Owner,
    kind: str,
    target: UUID,
    fields: Mapping[str, object],
    version: int,
    actor: str,
) -> Changeset:
    """Change fields of an item; what a picture says with a fact's old words is taken out with it.

    The next synthesis is told the new words. Raises ItemUnknown, ItemChanged or ItemUnfit.
    """
    lock_memory(owner)
    row = find_item(owner, kind, target)
    was = row if isinstance(row, Fact) and rewords(row, fields) and row.is_active else None
    footprint = footprint_of(Deletion.of_facts(owner, [was]), PICTURE) if was else None
    made = edit_item(
        owner=owner, kind=kind, target=target, fields=fields, actor=actor, version=version
    )
    if was and footprint:
        take_out_of_picture(made, footprint)
        _tell(was)
    return made


@transaction.atomic
def take_back(*, changeset: Changeset, actor: str) -> Changeset:
    """Revert a changeset; what a picture says with a correction's words goes with the correction.

    Raises ChangesetFinal or ChangesetOvertaken.
    """
    owner = changeset.owner
    lock_memory(owner)
    edits = changeset.items.filter(kind=Kind.FACT, act=Act.EDIT, state=ChangeItem.State.APPLIED)
    reworded = edits.filter(after__has_key="evidence_quote").values("target")
    facts = list(Fact.objects.filter(owner=owner, pk__in=reworded).active())
    footprint = footprint_of(Deletion.of_facts(owner, facts), PICTURE) if facts else None
    made = review.take_back(changeset=changeset, actor=actor)
    if footprint:
        take_out_of_picture(made, footprint)
    for was in facts:
        _tell(was)
    learned_vectors.nudge()
    context_vectors.nudge_if_any_waits()
    return made


def _tell(was: Fact) -> None:
    """Have the fact observed as it is now; what waits with its old words waits no more."""
    now = Fact.objects.select_related("owner__agent").get(pk=was.pk)
    key = _key(now.pk)
    mine = ContextEvent.objects.filter(owner=now.owner)
    waiting = mine.filter(observations_of(key, was.evidence_quote)).waiting()
    waiting.update(processed=True, processed_at=timezone.now(), error_code=CORRECTED)
    mine.filter(key=key).update(key=f"{key}:{was.version}")
    if now.owner.agent.keeps_profile and now.is_active:
        observe(
            owner=now.owner,
            event_type=Type.CORRECTION,
            content=words_of(now),
            source=Channel.PERSON,
            key=key,
        )


def _key(fact: UUID) -> str:
    return f"{Kind.FACT}:{fact}"
