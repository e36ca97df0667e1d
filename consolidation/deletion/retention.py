"""Let go, hour by hour, of what an agent keeps for a time only; without its settings, of nothing."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts.models import Owner
from consolidation.deletion.undo import make_due_final
from consolidation.jobs.queue import Attempt
from consolidation.models import ContextEvent
from knowledge.models import (
    ChangeItem,
    ContextDocument,
    Fact,
    LearnedInfo,
    ScaffoldEntry,
    UserNarrative,
)
from knowledge.models.learned import Category
from knowledge.profile.edit import erase_profile
from knowledge.profile.expiry import ACTOR, expire_documents, expire_facts
from knowledge.sensitivity import is_sensitive

KIND = "retention"
Part = ChangeItem.Kind
# What is told of these is sensitive, however it is worded.
SENSITIVE = (Category.LOSS, Category.TRIGGER)


def run(job: Attempt) -> None:
    """Let go of what is over: what was forgotten, and what agents say how long it is kept."""
    make_due_final()
    kept_for_a_time = Q(agent__sensitive_days__isnull=False) | Q(agent__forget_days__isnull=False)
    owners = Owner.objects.filter(kept_for_a_time, erasure=None).select_related("agent")
    for owner in owners.order_by("pk").iterator():
        let_go(owner, now=timezone.now())


@transaction.atomic
def let_go(owner: Owner, *, now: datetime) -> int:
    """Delete what of one owner is over; return how many things went. Nothing hinders its return."""
    agent, count = owner.agent, 0
    if agent.sensitive_days is not None:
        count += _sensitive(owner, now - timedelta(days=agent.sensitive_days))
    if agent.forget_days is not None:
        unused = _unused(now - timedelta(days=agent.forget_days))
        count += expire_documents(owner=owner, documents=unused)
    return count


def _sensitive(owner: Owner, before: datetime) -> int:
    documents = ContextDocument.objects.filter(owner=owner, created_at__lt=before)
    ids = [row.pk for row in documents if row.is_sensitive or is_sensitive(row.content)]
    count = expire_documents(owner=owner, documents=documents.filter(pk__in=ids))
    count += _facts(owner, before)
    for part, names in (
        (Part.NARRATIVE, _sentences(owner, before)),
        (Part.SCAFFOLD, _leaves(owner, before)),
        (Part.LEARNED_INFO, _texts(owner, before)),
    ):
        # Without names all of the part would go.
        if names:
            erase_profile(owner=owner, part=part, names=names, actor=ACTOR, may_return=True)
        count += len(names)
    return count


def _facts(owner: Owner, before: datetime) -> int:
    facts = Fact.objects.filter(owner=owner, is_pinned=False, created_at__lt=before)
    ids = [row.pk for row in facts if _is_sensitive_fact(row)]
    _empty_observations(owner, ids)
    return expire_facts(owner=owner, facts=facts.filter(pk__in=ids))


def _is_sensitive_fact(fact: Fact) -> bool:
    return fact.category in SENSITIVE or is_sensitive(f"{fact.evidence_quote} {fact.object}")


def _empty_observations(owner: Owner, facts: Sequence[UUID]) -> None:
    """Take the words of what was observed of the facts: they are over as well."""
    keys = [f"{Part.FACT}:{one}" for one in facts]
    ContextEvent.objects.filter(owner=owner, key__in=keys, processed=True).update(content="")


def _sentences(owner: Owner, before: datetime) -> list[str]:
    narrative = UserNarrative.objects.filter(owner=owner).first()
    told = narrative.statements if narrative else []
    return [one["text"] for one in told if is_sensitive(one["text"]) and _is_before(one, before)]


def _is_before(statement: dict[str, str], before: datetime) -> bool:
    said = parse_datetime(statement.get("confirmed_at") or statement.get("since") or "")
    return said is not None and said < before


def _leaves(owner: Owner, before: datetime) -> list[str]:
    entries = ScaffoldEntry.objects.filter(owner=owner, is_sensitive=True, observed_at__lt=before)
    return list(entries.values_list("path", flat=True))


def _texts(owner: Owner, before: datetime) -> list[str]:
    """Return the learned texts that are over: each is as old as the last change that brought it."""
    learned = LearnedInfo.objects.filter(owner=owner).first()
    if learned is None:
        return []
    brought = ChangeItem.objects.filter(changeset__owner=owner, kind=Part.LEARNED_INFO)
    known = {
        row["after__text"]: row["at"]
        for row in brought.exclude(after=None)
        .values("after__text")
        .annotate(at=Max("changeset__created_at"))
    }
    return [
        one
        for one in learned.items
        if is_sensitive(one) and known.get(one, learned.updated_at) < before
    ]


def _unused(before: datetime) -> QuerySet[ContextDocument]:
    kind = ContextDocument.ContextType.USER_PERSISTENT
    last = Coalesce("last_used_at", "created_at")
    return (
        ContextDocument.objects.filter(context_type=kind)
        .annotate(last=last)
        .filter(last__lt=before)
    )
