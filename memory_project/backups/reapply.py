"""After a restore: erase and forget again whatever was erased and forgotten since the backup."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Owner
from consolidation.deletion.erasure.job import advance, begin_again
from consolidation.deletion.erasure.request import erase_owner
from consolidation.deletion.forget import AT_ONCE, forget
from consolidation.deletion.ledger import Ended, Erased, ForgottenEntry, Line, Whose
from consolidation.deletion.places.table import TRACE_OF_KIND
from consolidation.deletion.trace import Target
from consolidation.deletion.undo import make_due_final, take_back_forgetting
from consolidation.errors import ErasureUnfinished
from consolidation.models import Erasure
from knowledge.models import Forgetting, Tombstone
from memory.muting import mute

ACTOR = "restore"
# What was written down before the backup is in it; clocks may differ by so much.
SLACK = timedelta(hours=1)


@dataclass(slots=True)
class Reapplied:
    """How many persons were erased again, and acts of forgetting done or taken back again.

    `strangers` are those whose number is somebody else's here, or who are known by another key.
    """

    erased: int = 0
    forgotten: int = 0
    taken_back: int = 0
    strangers: int = 0


def reapply(lines: Iterable[Line], *, since: datetime, progress: Callable[[], object]) -> Reapplied:
    """Do again what the ledger tells of after `since`; done twice it is as done once.

    Raises ErasureUnfinished.
    """
    wanted = [line for line in lines if line.at >= since - SLACK]
    ends = [line for line in wanted if isinstance(line, Ended)]
    taken_back = {line.id for line in ends if line.act == "take_back"}
    done = Reapplied()
    for line in wanted:
        if isinstance(line, Erased):
            done.strangers += sum(map(_is_stranger, line.owners))
            done.erased += sum(map(_erase, line.owners))
        elif isinstance(line, ForgottenEntry):
            done.strangers += _is_stranger(line.owner)
            done.forgotten += line.id not in taken_back and _forget(line, since)
        elif line.act == "take_back":
            done.taken_back += _take_back(line.id)
        else:
            Forgetting.objects.filter(pk=line.id, final_at__gt=line.at).update(final_at=line.at)
        progress()
    make_due_final()
    return done


def _found(whose: Whose) -> Owner | None:
    """Return the owner, if the number is still theirs."""
    owner = Owner.objects.select_related("agent", "user").filter(pk=whose.id).first()
    return owner if owner is not None and whose.is_of(owner) else None


def _is_stranger(whose: Whose) -> bool:
    known = Owner.objects.filter(pk=whose.id, erasure=None).first()
    return known is not None and not whose.is_of(known)


def _erase(whose: Whose) -> bool:
    owner = _found(whose)
    if owner is None:
        return False
    erasure = begin_again(erase_owner(owner=owner, actor=ACTOR))
    while erasure.state == Erasure.State.RUNNING:
        erasure = advance(erasure)
    if erasure.state != Erasure.State.DONE:
        raise ErasureUnfinished("something is left of a person who was erased")
    return True


@transaction.atomic
def _forget(line: ForgottenEntry, since: datetime) -> bool:
    """Delete the things that are back, and keep what is learned from the same lines from coming."""
    owner = _found(line.owner)
    if owner is None or owner.erasure is not None:
        return False
    known = Forgetting.objects.filter(owner=owner, pk=line.id)
    if not known.exists():
        left = max(line.final_at - timezone.now(), AT_ONCE)
        items = [
            target for kind in dict(line.items) for target in _targets(owner, line, kind, since)
        ]
        made = forget(owner=owner, items=items, actor=ACTOR, keep_for=left, again=line.id).act
        _complete(owner, line, made or _empty(owner, line))
        return True
    return False


def _targets(owner: Owner, line: ForgottenEntry, kind: str, since: datetime) -> list[Target]:
    """Return the targets of a kind by their ids; by their names those that have none.

    A name may have been given anew in the hour to spare: only what was deleted after the backup counts.
    """
    ids = {id for name, id in line.items if name == kind}
    names = TRACE_OF_KIND[kind].names
    if names is None:
        return [Target(kind, id) for id in ids]
    return [Target(kind, name) for name in names(owner, ids)] if line.at >= since else []


def _empty(owner: Owner, line: ForgottenEntry) -> Forgetting:
    """Make the act anew, of items that were learned and forgotten after the backup."""
    return Forgetting.objects.create(
        id=line.id, owner=owner, actor=ACTOR, items=len(line.items), final_at=line.final_at
    )


def _complete(owner: Owner, line: ForgottenEntry, act: Forgetting) -> None:
    """Add what the act muted and buried when it was first done."""
    _mute_rest(owner, act, line.events, line.chunks)
    rows = [
        Tombstone(owner=owner, kind=kind, digest=bytes.fromhex(digest))
        for kind, digest in line.tombstones
    ]
    Tombstone.objects.bulk_create(rows, ignore_conflicts=True)
    mine = Tombstone.objects.filter(owner=owner, digest__in=[row.digest for row in rows])
    act.tombstones = sorted({*act.tombstones, *mine.values_list("pk", flat=True)})
    act.save()


def _mute_rest(
    owner: Owner, act: Forgetting, events: Sequence[UUID], chunks: Sequence[UUID]
) -> None:
    more_events = [one for one in events if one not in set(act.events)]
    more_chunks = [one for one in chunks if one not in set(act.chunks)]
    mute(owner=owner, by=act.pk, events=more_events, chunks=more_chunks)
    act.events, act.chunks = [*act.events, *more_events], [*act.chunks, *more_chunks]


@transaction.atomic
def _take_back(id: UUID) -> bool:
    """Bring back what the backup holds as forgotten and its person took back in time."""
    kept = Forgetting.objects.filter(pk=id, contents__isnull=False).select_related("owner__agent")
    found = kept.first()
    if found is None or found.owner.erasure is not None:
        return False
    if not found.is_open:
        # Its time ran out only because the backup is older.
        kept.update(final_at=timezone.now() + SLACK)
    take_back_forgetting(owner=found.owner, act=id, actor=ACTOR)
    return True
