"""An item forgotten wherever it is: as it was learned, where it still waits to be, and what it became."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Owner
from consolidation.deletion import ledger
from consolidation.deletion.matcher import Telling, may_tell, tells
from consolidation.deletion.places.cuts import make_cuts
from consolidation.deletion.places.derived import forget_derived, observations_of
from consolidation.deletion.places.footprint import Besides, besides_of, earlier
from consolidation.deletion.places.written import forget_happened
from consolidation.deletion.undo import contents_of, scrub_others
from consolidation.models import Candidate, ContextEvent
from consolidation.models.observation import ContextEventQuerySet
from consolidation.profile.patterns import job as recurring
from consolidation.verdict import Code
from knowledge.changes.apply import delete_item
from knowledge.errors import ItemUnknown
from knowledge.items.rows import Item, find_item, lock_memory
from knowledge.items.tombstones import digests
from knowledge.models import ChangeItem, Fact, Forgetting, Pattern, Tombstone
from knowledge.profile.outdated import forget_outdated
from memory.muting import mute

Kind, Lane, State = ChangeItem.Kind, Candidate.Lane, Candidate.State
FORGOTTEN = "forgotten"
AT_ONCE = timedelta(0)
LANE_OF_KIND = {Kind.FACT: Lane.SEMANTIC, Kind.RULE: Lane.PROCEDURAL}


@dataclass(frozen=True, slots=True)
class Doomed:
    """An item to forget, in the version that was shown; None is any version."""

    kind: str
    id: UUID
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The items that there were, and the act; None when there were none."""

    items: Sequence[Doomed] = field(default_factory=list)
    act: Forgetting | None = None


@transaction.atomic
def forget(
    *,
    owner: Owner,
    items: Sequence[Doomed],
    actor: str,
    keep_for: timedelta = AT_ONCE,
    again: UUID | None = None,
) -> Forgotten:
    """Delete items with what they became besides, empty what waits, and mute the lines that tell them.

    Nothing that is still under way brings them back; a person may, within `keep_for`. What is gone
    already is passed over. `again` is the id of an act that a restore does once more. Raises
    ItemChanged when one is not as it was shown, or LedgerUnwritable: then none goes.
    """
    # Before the other lock: who waits for that one holds a share of this one already. Documents are
    # deleted under it too: the tombstones between are then all of this act.
    Owner.objects.select_for_update().get(pk=owner.pk)
    lock_memory(owner)
    found = {one: row for one in items if (row := find_item(owner, one.kind, one.id)) is not None}
    if not found:
        return Forgotten()
    besides = besides_of(owner, list(found.values()))
    act = _begin(owner, actor, list(found.values()), besides, keep_for)
    act.pk = again or act.pk
    newest = Tombstone.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    for one, row in found.items():
        _delete(owner, one, row, actor)
    _delete_besides(owner, besides, actor)
    mute(owner=owner, by=act.pk, events=act.events, chunks=act.chunks)
    if not keep_for:
        scrub_others(owner, besides.tellings)
    made = Tombstone.objects.filter(owner=owner, pk__gt=newest).values_list("pk", flat=True)
    act.tombstones = list(made)
    act.save()
    # Last, and before it counts: a line too many forgets once more what somebody wanted to forget.
    ledger.note_forgetting(act, [(one.kind, one.id) for one in found])
    return Forgotten(list(found), act)


def forget_item(
    *, owner: Owner, kind: str, target: UUID, actor: str, version: int | None = None
) -> None:
    """Forget one item at once. Raises ItemUnknown or ItemChanged."""
    doomed = Doomed(kind, target, version)
    if not forget(owner=owner, items=[doomed], actor=actor).items:
        raise ItemUnknown(f"no such {kind}")


def _begin(
    owner: Owner, actor: str, rows: Sequence[Item], besides: Besides, keep_for: timedelta
) -> Forgetting:
    """Return the act, unsaved: with the words of all that goes if it may be taken back."""
    kept = contents_of(owner, rows, besides) if keep_for else None
    return Forgetting(
        owner=owner,
        actor=actor,
        items=len(rows),
        contents=kept,
        events=list(besides.echoes.events),
        chunks=list(besides.echoes.chunks),
        final_at=timezone.now() + keep_for,
    )


def _delete(owner: Owner, one: Doomed, row: Item, actor: str) -> None:
    told = [said for said in (row, *earlier(owner, [row])) if isinstance(said, Fact)]
    quotes = {said.evidence_quote for said in told} or {""}
    delete_item(owner=owner, kind=one.kind, target=one.id, actor=actor, version=one.version)
    forget_outdated(owner=owner, kind=one.kind, target=one.id)
    _empty_candidates(owner, one.kind)
    for quote in quotes:
        _empty_observations(owner, f"{one.kind}:{one.id}", quote)
    _drop_patterns(owner, one.id)


def _delete_besides(owner: Owner, besides: Besides, actor: str) -> None:
    tellings = besides.tellings
    _empty_told(owner, tellings)
    forget_derived(owner, besides.derived, actor=actor)
    forget_happened(owner, besides.happened, tellings)
    make_cuts(owner, besides.echoes.cuts, tellings, besides.sessions)


def _drop_patterns(owner: Owner, source: UUID) -> None:
    """Delete what was seen in the deleted item; what others bear out comes back by its job."""
    deleted, _ = Pattern.objects.filter(owner=owner, sources__contains=[source]).delete()
    if deleted:
        recurring.request(owner)


def _empty_candidates(owner: Owner, kind: str) -> None:
    """Take the words of candidates that say what was deleted; what is held is held no more."""
    lane = LANE_OF_KIND.get(Kind(kind))
    if lane is None:
        return
    tombs = Tombstone.objects.filter(owner=owner, kind=kind).values_list("digest", flat=True)
    gone = {bytes(digest) for digest in tombs}
    rows = Candidate.objects.filter(session__owner=owner, lane=lane).exclude(payload={})
    said = [
        row.pk
        for row in rows.only("pk", "payload").iterator()
        if gone & digests(owner, kind, _fields(row.payload))
    ]
    found = Candidate.objects.filter(pk__in=said)
    found.update(payload={}, reason="")
    found.filter(state=State.HELD).update(
        state=State.SKIPPED, outcome=Code.TOMBSTONE, decided_at=timezone.now()
    )


def _empty_observations(owner: Owner, key: str, quote: str) -> None:
    """Take the words of observations of the item, and of those that quote it; none of them waits on."""
    _empty(ContextEvent.objects.filter(observations_of(key, quote), owner=owner))


def _empty_told(owner: Owner, tellings: Sequence[Telling]) -> None:
    """Take the words of observations that tell of what goes, wherever they are from."""
    mine = ContextEvent.objects.filter(may_tell("content", tellings), owner=owner)
    told = [pk for pk, text in mine.values_list("pk", "content") if tells(text, tellings)]
    _empty(ContextEvent.objects.filter(pk__in=told))


def _empty(found: ContextEventQuerySet) -> None:
    found.waiting().update(set_aside_at=timezone.now(), error_code=FORGOTTEN)
    found.update(content="")


def _fields(payload: dict[str, object]) -> dict[str, object]:
    """Return a candidate's words under the names of the model's fields."""
    return payload | {"evidence_quote": payload.get("quote", "")}
