"""An item forgotten wherever it is: as it was learned, and where it still waits to be."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Owner
from consolidation import recurring
from consolidation.derived import derived_from, forget_derived, observations_of
from consolidation.gate.verdict import Code
from consolidation.models import Candidate, ContextEvent
from knowledge.changes import delete_item
from knowledge.items import find_item
from knowledge.models import ChangeItem, Changeset, Fact, Pattern, Tombstone
from knowledge.tombstones import digests

Kind, Lane, State = ChangeItem.Kind, Candidate.Lane, Candidate.State
FORGOTTEN = "forgotten"
LANE_OF_KIND = {Kind.FACT: Lane.SEMANTIC, Kind.RULE: Lane.PROCEDURAL}


def forget_item(
    *, owner: Owner, kind: str, target: UUID, actor: str, version: int | None = None
) -> Changeset:
    """Delete an item for good, with what it became besides, and empty what says the same and waits.

    Nothing that is still under way brings it back. `version` is the one that was seen, None for
    any. Raises ItemUnknown or ItemChanged.
    """
    with transaction.atomic():
        row = find_item(owner, kind, target)
        quote = row.evidence_quote if isinstance(row, Fact) else ""
        derived = derived_from(owner, [row]) if isinstance(row, Fact) else None
        made = delete_item(owner=owner, kind=kind, target=target, actor=actor, version=version)
        if derived:
            forget_derived(owner, derived, actor=actor)
        _empty_candidates(owner, kind)
        _empty_observations(owner, f"{kind}:{target}", quote)
        _drop_patterns(owner, target)
    return made


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
    found = ContextEvent.objects.filter(observations_of(key, quote), owner=owner)
    found.waiting().update(set_aside_at=timezone.now(), error_code=FORGOTTEN)
    found.update(content="")


def _fields(payload: dict[str, object]) -> dict[str, object]:
    """Return a candidate's words under the names of the model's fields."""
    return payload | {"evidence_quote": payload.get("quote", "")}
