"""What an operator decides about changes; the act and its record stand or fall together."""

from django.db import transaction

from audit.log import record
from knowledge.changes.apply import decide_item, revert_changeset
from knowledge.models import ChangeItem, Changeset


@transaction.atomic
def take_back(*, changeset: Changeset, actor: str) -> Changeset:
    """Revert a changeset. Raises ChangesetFinal or ChangesetOvertaken."""
    made = revert_changeset(changeset=changeset, actor=actor)
    detail = {"items": made.items.count()}
    record(actor=actor, action="changeset.revert", subject=str(changeset.pk), detail=detail)
    return made


@transaction.atomic
def settle(*, item: ChangeItem, approve: bool, actor: str) -> Changeset:
    """Approve or reject a change that waits. Raises ChangeNotWaiting or ItemChanged."""
    made = decide_item(item=item, approve=approve, actor=actor)
    action = "change.approve" if approve else "change.reject"
    record(actor=actor, action=action, subject=str(made.pk), detail={"item": item.place})
    return made
