"""A run of changes taken back as a whole."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from knowledge.changes.perform import evict_rules
from knowledge.errors import ChangesetFinal, ChangesetOvertaken
from knowledge.items.rows import Item, find_item, lock_memory, save_fields, snapshot
from knowledge.items.tombstones import TOMBSTONE, is_buried
from knowledge.models import ChangeItem, Changeset, ProceduralProfile
from knowledge.profile.items import PARTS, open_profile, put_back, save_profile
from knowledge.profile.outdated import OUTDATED

Act, State = ChangeItem.Act, ChangeItem.State
# Another run may have changed these since: it says nothing against taking this one back.
OFTEN = frozenset({"last_referenced_at"})
# What a newer item did to an added one goes with it.
FATE = OFTEN | {"dormant_at", "superseded_by", "user_visible"}


@transaction.atomic
def revert_changeset(*, changeset: Changeset, actor: str) -> Changeset:
    """Put back all that a changeset changed, and return the changeset that did; once for all calls.

    What waited is not asked any more. Raises ChangesetFinal, or ChangesetOvertaken when an item
    was changed since; then nothing happens.
    """
    lock_memory(changeset.owner)
    done = Changeset.objects.filter(reverts=changeset).first()
    if done:
        return done
    items = changeset.items.all()
    if changeset.origin == Changeset.Origin.REVERT or items.filter(act=Act.DELETE).exists():
        raise ChangesetFinal("this changeset is not taken back")
    made = Changeset.objects.create(
        owner=changeset.owner,
        origin=Changeset.Origin.REVERT,
        actor=actor,
        session=changeset.session,
        run_key=f"revert:{changeset.pk}",
        reverts=changeset,
    )
    applied = list(items.filter(state=State.APPLIED).order_by("-place"))
    for place, item in enumerate(applied):
        if item.kind not in PARTS:
            _undo(made, place, item)
    _undo_parts(made, [(place, one) for place, one in enumerate(applied) if one.kind in PARTS])
    items.filter(state__in=(State.APPLIED, State.WAITING)).update(state=State.REVERTED)
    Changeset.objects.filter(pk=changeset.pk).update(reverted_at=timezone.now())
    evict_rules(made)
    return made


def _undo(made: Changeset, place: int, item: ChangeItem) -> None:
    """Put back what one item changed; nothing when the item was deleted for good since."""
    row = find_item(made.owner, item.kind, item.target)
    undone = _undone(made, place, item)
    if row is not None and item.after is not None:
        _check(row, item)
        if item.before is None:
            row.delete()
            undone.act = Act.DELETE
        else:
            _put_back(made, row, item, undone)
    undone.save()


def _undo_parts(made: Changeset, items: Sequence[tuple[int, ChangeItem]]) -> None:
    """Put back what was changed of the picture of a user."""
    if not items:
        return
    profile = open_profile(made.owner)
    for place, item in items:
        undone = _undone(made, place, item)
        try:
            put_back(profile, item, undone)
        except ChangesetOvertaken:
            # A correction is taken back whatever was concluded from it since.
            if item.code != OUTDATED:
                raise
            undone.state, undone.before, undone.after = State.REJECTED, None, None
        undone.save()
    save_profile(profile)


def _undone(made: Changeset, place: int, item: ChangeItem) -> ChangeItem:
    return ChangeItem(
        changeset=made,
        place=place,
        kind=item.kind,
        act=Act.RESTORE,
        target=item.target,
        code="revert",
        decided_by=made.actor,
        decided_at=timezone.now(),
    )


def _put_back(made: Changeset, row: Item, item: ChangeItem, undone: ChangeItem) -> None:
    before = dict(item.before or {})
    if is_buried(owner=made.owner, kind=item.kind, fields=snapshot(row) | before):
        undone.state, undone.code = State.REJECTED, TOMBSTONE
        return
    now = snapshot(row, before)
    if item.act == Act.BUMP and now != item.after:
        before = {}
    if "version" in before and not isinstance(row, ProceduralProfile):
        before["version"] = row.version + 1
    undone.before, undone.after = snapshot(row, before), before
    save_fields(row, before)


def _check(row: Item, item: ChangeItem) -> None:
    """Raise ChangesetOvertaken when a row does not say any more what the item wrote."""
    ignored = FATE if item.before is None and not _replaces(item) else OFTEN
    wrote = {name: value for name, value in (item.after or {}).items() if name not in ignored}
    if snapshot(row, wrote) != wrote:
        detail: dict[str, str | int] = {"item": item.place, "kind": item.kind}
        raise ChangesetOvertaken(
            f"the {item.kind} of change {item.place} has changed", detail=detail
        )


def _replaces(item: ChangeItem) -> bool:
    """Say whether an added item took the place of others, which would count again beside its own heir."""
    of_run = ChangeItem.objects.filter(changeset=item.changeset_id, act=Act.RETIRE)
    return of_run.filter(after__superseded_by=str(item.target)).exists()
