"""What goes because its time is over: without a word left, and free to be said again."""

from collections.abc import Sequence

from django.db.models import Model, QuerySet

from accounts.ids import new_id
from accounts.models import Owner
from knowledge.items.rows import lock_memory
from knowledge.models import ChangeItem, Changeset, ContextDocument, Fact

Act, Kind, State = ChangeItem.Act, ChangeItem.Kind, ChangeItem.State
EXPIRED = "retention.expired"
ACTOR = "retention"


def expiry(owner: Owner) -> Changeset:
    """Begin the changeset of one round."""
    return Changeset.objects.create(
        owner=owner,
        origin=Changeset.Origin.RETENTION,
        actor=ACTOR,
        run_key=f"{ACTOR}:{new_id()}",
    )


def expire_facts(*, owner: Owner, facts: QuerySet[Fact]) -> int:
    """Delete an owner's facts, in the caller's transaction; their words leave every change."""
    lock_memory(owner)
    return _expire(owner, Kind.FACT, list(facts.filter(owner=owner)))


def expire_documents(*, owner: Owner, documents: QuerySet[ContextDocument]) -> int:
    """Delete an owner's documents, in the caller's transaction."""
    lock_memory(owner)
    return _expire(owner, Kind.DOCUMENT, list(documents.filter(owner=owner)))


def _expire(owner: Owner, kind: str, rows: Sequence[Model]) -> int:
    if not rows:
        return 0
    ids = [row.pk for row in rows]
    kept = ChangeItem.objects.filter(changeset__owner=owner, kind=kind, target__in=ids)
    kept.filter(state=State.WAITING).update(state=State.REJECTED, code=EXPIRED)
    kept.update(before=None, after=None, quote="", reason="")
    QuerySet(type(rows[0])).filter(pk__in=ids).delete()
    made = expiry(owner)
    ChangeItem.objects.bulk_create(
        ChangeItem(
            changeset=made,
            place=place,
            kind=kind,
            act=Act.DELETE,
            target=target,
            code=EXPIRED,
            decided_by=ACTOR,
        )
        for place, target in enumerate(ids)
    )
    return len(ids)
