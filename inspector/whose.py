"""Whose memory a page shows, and who may look at it."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from accounts.models import Owner, User


def visible_owners(person: User) -> QuerySet[Owner]:
    """Return the owners whose memory a person may see: themselves, as each agent knows them.

    Staff see those of their organization; staff without one themselves, a superuser all of them.
    """
    owners = Owner.objects.select_related("agent__organization", "user")
    if person.is_superuser and person.organization_id is None:
        return owners
    if person.is_staff and person.organization_id is not None:
        return owners.filter(agent__organization_id=person.organization_id)
    return owners.filter(user=person)


def owner_for(person: User, owner: int) -> Owner:
    """Return an owner whose memory the person may see. Raises Http404 for any other."""
    found: Owner = get_object_or_404(visible_owners(person), pk=owner)
    return found
