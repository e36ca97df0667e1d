"""Do what a change says, and keep the number of rules."""

from datetime import datetime

from django.utils import timezone

from accounts.models import Owner
from knowledge.errors import ItemChanged
from knowledge.items.rows import Item, build_item, find_item, save_fields, snapshot
from knowledge.models import ChangeItem, Changeset, ProceduralProfile, Rule

Act, Kind, State = ChangeItem.Act, ChangeItem.Kind, ChangeItem.State
MOST_RULES = 20
EVICTION = "eviction"


def perform(owner: Owner, item: ChangeItem) -> None:
    """Do what a change says, under the owner's lock. Raises ItemChanged."""
    if item.act == Act.ADD:
        assert item.target is not None, "an add is given its id first"  # noqa: S101 - narrows
        row = build_item(owner, item.kind, item.target, item.after or {})
        row.save(force_insert=True)
        item.after = snapshot(row)
        return
    found = find_item(owner, item.kind, item.target)
    counts = isinstance(found, ProceduralProfile) or (found is not None and found.is_active)
    if found is None or not (counts or item.act == Act.EDIT):
        raise ItemChanged(f"the {item.kind} of change {item.place} counts no more")
    after = _written(found, item)
    item.before, item.after = snapshot(found, after), after
    save_fields(found, after)


def evict_rules(made: Changeset, decided_at: datetime | None = None) -> None:
    """Archive the oldest active rules beyond the cap, pinned ones last. The owner is locked.

    `decided_at` is when somebody approved what made them too many.
    """
    if not made.items.filter(kind=Kind.RULE, state=State.APPLIED).exists():
        return
    owner = made.owner
    active = Rule.objects.filter(owner=owner).active().order_by("is_pinned", "created_at", "pk")
    rules = list(active)
    place = made.items.count()
    for offset, rule in enumerate(rules[: max(len(rules) - MOST_RULES, 0)]):
        after = {"superseded_by": EVICTION, "user_visible": False}
        item = ChangeItem(
            changeset=made,
            place=place + offset,
            kind=Kind.RULE,
            act=Act.RETIRE,
            target=rule.pk,
            after=after,
            code="rule_cap",
            decided_at=decided_at,
        )
        perform(owner, item)
        item.save()


def _written(row: Item, item: ChangeItem) -> dict[str, object]:
    now, after = timezone.now().isoformat(), dict(item.after or {})
    if item.act == Act.BUMP:
        return {"last_referenced_at": now, **after}
    if item.act == Act.RETIRE:
        return {"dormant_at": now, **after}
    if item.act == Act.EDIT and not isinstance(row, ProceduralProfile):
        return {**after, "version": row.version + 1}
    return after
