"""What a person has corrected by hand: when, and what it said before."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.models import Q

from accounts.models import Owner
from inspector.person.wording import Correction, said
from knowledge.changes.corrections import CORRECTED, SAYS
from knowledge.models import ChangeItem
from knowledge.models.learned import Learned, Timing


def corrections(owner: Owner, rows: Sequence[Learned]) -> Mapping[UUID, Correction]:
    """Return the last correction of the words of each item that has one, in one query."""
    by_id = {row.pk: row for row in rows}
    reworded = Q(after__has_key="evidence_quote") | Q(after__has_key="evidence")
    found = ChangeItem.objects.filter(
        reworded,
        changeset__owner=owner,
        target__in=by_id,
        act=ChangeItem.Act.EDIT,
        code=CORRECTED,
        state=ChangeItem.State.APPLIED,
    )
    return {
        row.pk: _correction(owner, row, item)
        for item in found.select_related("changeset").order_by("pk")
        if item.target and (row := by_id[item.target])
    }


def _correction(owner: Owner, row: Learned, item: ChangeItem) -> Correction:
    made, before = item.changeset, item.before or {}
    fields = {name: getattr(row, name) for name in (*SAYS, "text") if hasattr(row, name)}
    quotes = before.get("evidence") or [before.get("evidence_quote", "")]
    # What was written by hand was quoted from nowhere.
    was_said = before.get("write_timing", Timing.MANUAL) != Timing.MANUAL
    return Correction(
        made.created_at,
        made.actor,
        owner.user is not None and made.actor == str(owner.user),
        said(fields | before),
        [str(one) for one in quotes if one] if was_said and isinstance(quotes, list) else [],
    )
