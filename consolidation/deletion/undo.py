"""What a person had deleted, taken back before it is final; and made final."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Owner
from audit.log import record
from consolidation.deletion import ledger
from consolidation.deletion.matcher import Matcher, matcher_of
from consolidation.deletion.places.items import versions_of
from consolidation.deletion.places.table import TRACES
from consolidation.deletion.trace import Finding
from consolidation.embedding import learned as learned_vectors
from knowledge.errors import ForgettingFinal
from knowledge.items.rows import lock_memory
from knowledge.models import Fact, Forgetting, Rule, Tombstone
from memory.muting import unmute

Contents = Mapping[str, Sequence[Finding]]


def contents_of(act: Forgetting) -> Contents:
    """Return what an act keeps, by the names of the traces; nothing once it is final."""
    return cast("Contents", act.contents or {})


@transaction.atomic
def take_back_forgetting(*, owner: Owner, act: UUID, actor: str) -> None:
    """Bring back what one act took, and let its lines be heard again.

    What was written in its place since stays. Raises ForgettingFinal.
    """
    row = _open(owner, act)
    Tombstone.objects.filter(owner=owner, pk__in=row.tombstones).delete()
    contents = contents_of(row)
    for trace in TRACES:
        trace.restore(owner, contents.get(trace.name, ()), actor)
    unmute(owner=owner, by=row.pk, events=row.events, chunks=row.chunks)
    row.delete()
    detail = {"items": row.items}
    record(actor=actor, action="memory.take_back", subject=str(act), detail=detail)
    # Only what is so is written: what is not written stays forgotten.
    transaction.on_commit(lambda: ledger.note_end(act, "take_back"), robust=True)
    learned_vectors.nudge()


@transaction.atomic
def make_final(*, owner: Owner, act: UUID, actor: str) -> None:
    """Delete the words that one act keeps, now. Raises ForgettingFinal."""
    row = _open(owner, act)
    row.final_at = timezone.now()
    _finish(row)
    record(actor=actor, action="memory.make_final", subject=str(act))
    ledger.note_end(act, "make_final")


def make_due_final() -> int:
    """Delete the words of all whose time is over; return how many there were."""
    due = list(Forgetting.objects.due().order_by("pk").values_list("pk", "owner"))
    for pk, owner in due:
        with transaction.atomic():
            lock_memory(Owner.objects.get(pk=owner))
            for act in Forgetting.objects.due().select_for_update().filter(pk=pk):
                _finish(act)
    return len(due)


def scrub_others(owner: Owner, matchers: Sequence[Matcher]) -> None:
    """Take what is gone for good out of what other acts keep, in the caller's transaction.

    What a person chose themselves stays, whatever it says: they may still want it back.
    """
    if not matchers:
        return
    for act in Forgetting.objects.filter(owner=owner, contents__isnull=False):
        contents = contents_of(act)
        act.contents = {
            trace.name: trace.left_by(contents.get(trace.name, ()), matchers)
            for trace in TRACES
            if trace.is_kept
        }
        act.save(update_fields=["contents"])


def _open(owner: Owner, act: UUID) -> Forgetting:
    lock_memory(owner)
    row = Forgetting.objects.select_for_update().filter(owner=owner, pk=act).open().first()
    if row is None:
        raise ForgettingFinal("this was forgotten for good, or taken back already")
    return row


def _finish(act: Forgetting) -> None:
    matchers = list(_matchers(act))
    act.contents = None
    act.save(update_fields=["contents", "final_at"])
    scrub_others(act.owner, matchers)


def _matchers(act: Forgetting) -> Iterator[Matcher]:
    """Yield what the items of an act are known by, as they were and before they were changed."""
    for entry in contents_of(act).get("items", ()):
        for row in versions_of(act.owner, entry):
            if isinstance(row, Fact | Rule):
                yield matcher_of(row)
