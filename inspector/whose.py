"""Whose memory a page shows, who may look at it, and the record of it."""

from collections.abc import Collection
from datetime import timedelta

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from accounts.models import Owner, User
from audit.models import AuditEntry

# Looking again within the hour is the same look.
ONE_LOOK = timedelta(hours=1)
LOOKED = "memory.view"
CHANGE = "accounts.change_owner"


def visible_owners(person: User) -> QuerySet[Owner]:
    """Return the owners whose memory a person may see: themselves, as each agent knows them.

    Staff see those of their organization; staff without one themselves, a superuser all of them.
    Whoever came in by an agent's link sees what that agent knows.
    """
    owners = Owner.objects.filter(erasure=None).select_related("agent__organization", "user")
    if person.is_superuser and person.organization_id is None:
        return owners
    if person.is_staff and person.organization_id is not None:
        return owners.filter(agent__organization_id=person.organization_id)
    mine = owners.filter(user=person)
    return mine if person.only_agent is None else mine.filter(agent_id=person.only_agent)


def owner_for(person: User, owner: int) -> Owner:
    """Return an owner whose memory the person may see. Raises Http404 for any other."""
    found: Owner = get_object_or_404(visible_owners(person), pk=owner)
    return found


def owner_to_change(person: User, owner: int) -> Owner:
    """Return an owner whose memory the person may change or take along: their own, or as staff.

    Raises Http404 for one that they may not see, PermissionDenied for staff without the right.
    """
    found = owner_for(person, owner)
    if found.user_id != person.pk and not person.has_perm(CHANGE):
        raise PermissionDenied
    return found


def note_look(person: User, owner: Owner, page: str) -> None:
    """Record that somebody else than the person looks at a page of their memory."""
    if owner.user_id != person.pk:
        _note(person, {f"{owner.pk}:{page}"})


def note_looks(person: User, owners: Collection[int], page: str) -> None:
    """Record the same of a page that shows the memory of many, in as many statements as of one."""
    others = Owner.objects.filter(pk__in=owners).exclude(user=person)
    _note(person, {f"{owner}:{page}" for owner in others.values_list("pk", flat=True)})


def about(owner: Owner) -> Q:
    """Return what finds the entries that name an owner; the older ones may say `owner 2`."""
    named = Q(subject=str(owner.pk)) | Q(subject__startswith=f"{owner.pk}:")
    return named | Q(subject=f"owner {owner.pk}")


def _note(person: User, subjects: Collection[str]) -> None:
    if not subjects:
        return
    actor, since = str(person), timezone.now() - ONE_LOOK
    seen = AuditEntry.objects.filter(action=LOOKED, actor=actor, at__gte=since)
    known = seen.filter(subject__in=subjects).values_list("subject", flat=True)
    AuditEntry.objects.bulk_create(
        AuditEntry(actor=actor, action=LOOKED, subject=one)
        for one in sorted(set(subjects) - set(known))
    )
