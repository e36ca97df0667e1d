"""The one door of every deletion: a thing goes wherever it is traced, and the ledger says so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Owner
from consolidation.deletion import ledger
from consolidation.deletion.places.table import TRACE_OF_KIND, TRACES
from consolidation.deletion.trace import Deletion, Finding, Footprint, Target, Trace
from consolidation.deletion.undo import scrub_others
from knowledge.errors import ItemUnknown
from knowledge.items.rows import lock_memory
from knowledge.models import ChangeItem, Forgetting, Tombstone
from memory.muting import mute

AT_ONCE = timedelta(0)
# What is learned, and changes under one lock.
LEARNED = frozenset(ChangeItem.Kind.values)


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """The targets that there were, and the act; None when there were none."""

    items: Sequence[Target] = field(default_factory=list)
    act: Forgetting | None = None


@transaction.atomic
def forget(
    *,
    owner: Owner,
    items: Sequence[Target],
    actor: str,
    keep_for: timedelta = AT_ONCE,
    again: UUID | None = None,
) -> ForgetResult:
    """Delete targets wherever they are traced, and mute the lines that tell facts and rules.

    Nothing that is still under way brings them back; a person may, within `keep_for`. What is gone
    already is passed over. `again` is the id of an act that a restore does once more. Raises what a
    place raises for a target that is not as it was shown (ItemChanged, EntryChanged, ...), or
    LedgerUnwritable: then none goes.
    """
    _lock(owner, items)
    deletion = Deletion.of(owner, actor, items)
    footprint = footprint_of(deletion)
    there = [one for one in items if _is_there(one, deletion, footprint)]
    if not there:
        return ForgetResult()
    newest = Tombstone.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    act = _act(deletion, footprint, len(there), keep_for)
    act.pk = again or act.pk
    ids = [(one.kind, TRACE_OF_KIND[one.kind].ledger_id(owner, one)) for one in there]
    for trace in TRACES:
        trace.remove(deletion, footprint[trace.name])
    mute(owner=owner, by=act.pk, events=act.events, chunks=act.chunks)
    if not keep_for:
        scrub_others(owner, deletion.matchers)
    tombstones = Tombstone.objects.filter(owner=owner, pk__gt=newest)
    act.tombstones = list(tombstones.values_list("pk", flat=True))
    act.save()
    # Before it counts: a line too many forgets once more what somebody wanted to forget.
    ledger.note_forgetting(act, ids)
    for trace in TRACES:
        trace.remove_outside(deletion, footprint[trace.name])
    return ForgetResult(there, act)


def forget_item(
    *, owner: Owner, kind: str, target: UUID, actor: str, version: int | None = None
) -> None:
    """Forget one item at once. Raises ItemUnknown or ItemChanged."""
    if not forget(owner=owner, items=[Target(kind, target, version)], actor=actor).items:
        raise ItemUnknown(f"no such {kind}")


def footprint_of(
    deletion: Deletion, traces: Sequence[Trace] = TRACES
) -> dict[str, Sequence[Finding]]:
    """Return the entries of what goes, by the names of its traces; nothing is deleted."""
    return {trace.name: trace.find(deletion) for trace in traces}


def _lock(owner: Owner, items: Sequence[Target]) -> None:
    """Hold the owner: who waits for the memory's lock holds a share of this one already.

    Documents are deleted under it too: the tombstones between are then all of this act. Notes and
    the like have locks of their own, whose holders want a share of this one.
    """
    if any(one.kind in LEARNED for one in items):
        Owner.objects.select_for_update().get(pk=owner.pk)
        lock_memory(owner)


def _is_there(target: Target, deletion: Deletion, footprint: Footprint) -> bool:
    """Return whether a target stands where its kind does, or was observed at least."""
    if target.kind in TRACES[0].kinds:
        return any(str(target.id) == entry["id"] for entry in footprint[TRACES[0].name])
    trace = TRACE_OF_KIND[target.kind]
    return bool(footprint[trace.name] or footprint["observations"])


def _act(deletion: Deletion, footprint: Footprint, count: int, keep_for: timedelta) -> Forgetting:
    """Return the act, unsaved: with the words of all that goes if it may be taken back."""
    kept: Mapping[str, object] = {
        trace.name: list(footprint[trace.name]) for trace in TRACES if trace.is_kept
    }
    return Forgetting(
        owner=deletion.owner,
        actor=deletion.actor,
        items=count,
        contents=kept if keep_for else None,
        events=[entry["id"] for entry in footprint["events"]],
        chunks=[entry["id"] for entry in footprint["chunks"]],
        final_at=timezone.now() + keep_for,
    )
