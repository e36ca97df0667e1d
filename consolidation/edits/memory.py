"""What a person does to their own memory: change an item, delete some, switch recall or sharing."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from django.db import transaction

from accounts.models import Owner
from audit.log import record
from consolidation.deletion.forget import AT_ONCE, ForgetResult, forget
from consolidation.deletion.trace import Target
from consolidation.edits.corrections import correct_item
from consolidation.embedding import learned as learned_vectors
from knowledge.changes.apply import edit_item
from knowledge.errors import ItemUnknown
from knowledge.models import ChangeItem

Kind = ChangeItem.Kind


@transaction.atomic
def change_item(
    *,
    owner: Owner,
    kind: str,
    target: UUID,
    fields: Mapping[str, object],
    version: int,
    actor: str,
) -> None:
    """Change fields of an item. Raises ItemUnknown, ItemChanged or ItemUnfit."""
    correct_item(owner=owner, kind=kind, target=target, fields=fields, actor=actor, version=version)
    record(actor=actor, action=f"memory.edit_{kind}", subject=str(target))
    learned_vectors.nudge()


@transaction.atomic
def forget_items(
    *, owner: Owner, items: Sequence[Target], actor: str, keep_for: timedelta = AT_ONCE
) -> ForgetResult:
    """Forget items and what goes with them, all or none; the person may take it back within `keep_for`.

    One that is gone already is no failure. Raises ItemChanged when one is not as it was shown.
    """
    found = forget(owner=owner, items=items, actor=actor, keep_for=keep_for)
    for item in found.items:
        record(actor=actor, action=f"memory.delete_{item.kind}", subject=str(item.id))
    return found


def forget_one(*, owner: Owner, item: Target, actor: str) -> None:
    """Delete an item for good. Raises ItemUnknown or ItemChanged."""
    if not forget_items(owner=owner, items=[item], actor=actor).items:
        raise ItemUnknown(f"no such {item.kind}")


@transaction.atomic
def set_recall(*, owner: Owner, enabled: bool, actor: str) -> None:
    """Let the assistant bring up past sessions by itself, or not."""
    fields = {"proactive_recall_enabled": enabled}
    edit_item(owner=owner, kind=Kind.PROFILE, target=None, fields=fields, actor=actor)
    record(actor=actor, action="memory.recall", subject=str(owner.pk), detail={"enabled": enabled})


@transaction.atomic
def set_sharing(*, owner: Owner, enabled: bool, actor: str) -> None:
    """Let other agents read what this one remembers of the person, or not; the next read obeys.

    What is so already, or is being erased, stays as it is and leaves no record.
    """
    rows = Owner.objects.filter(pk=owner.pk, erasure=None, is_shared=not enabled)
    if rows.update(is_shared=enabled):
        detail = {"enabled": enabled}
        record(actor=actor, action="memory.sharing", subject=str(owner.pk), detail=detail)
