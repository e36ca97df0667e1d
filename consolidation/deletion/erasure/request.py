"""Ask for an erasure: what it would delete, and its beginning."""

from collections.abc import Sequence

from django.db import transaction

from accounts.errors import ErasureUnconfirmed
from accounts.models import Owner, User
from accounts.pseudonyms import person_pseudonym
from audit.failpoint import failpoint
from audit.log import record
from consolidation.deletion import ledger
from consolidation.deletion.places.table import PLACES
from consolidation.jobs.queue import enqueue
from consolidation.models import Erasure

KIND = "erase"


def owners_of_person(person: User) -> list[Owner]:
    """Return a person as every agent of their organization knows them."""
    known = Owner.objects.filter(user=person, erasure=None, kind=Owner.Kind.USER)
    return list(known.select_related("agent").order_by("pk"))


def preview(owners: Sequence[Owner]) -> dict[str, int]:
    """Return how many rows of each table an erasure would delete or empty."""
    ids = [owner.pk for owner in owners]
    found = {place.label: place.rows(ids).count() for place in PLACES}
    return {label: count for label, count in found.items() if count}


def check_confirmed(*, given: str, name: str) -> None:
    """Raise ErasureUnconfirmed unless the name was typed as it is."""
    if given != name:
        raise ErasureUnconfirmed("the name that confirms the erasure is not the person's")


def erase_owner(*, owner: Owner, actor: str) -> Erasure:
    """Begin to erase a person as one agent knows them; what is under way already goes on."""
    return _begin(owners=[owner], person=owner.user, actor=actor)


def erase_person(*, person: User, actor: str) -> Erasure | None:
    """Begin to erase a person as every agent of their organization knows them.

    None where no agent knows them.
    """
    owners = owners_of_person(person)
    return _begin(owners=owners, person=person, actor=actor) if owners else None


@transaction.atomic
def _begin(*, owners: Sequence[Owner], person: User | None, actor: str) -> Erasure:
    # Whoever is writing for one of them is waited for; whoever comes after is refused.
    ids = sorted(owner.pk for owner in owners)
    locked = list(
        Owner.objects.select_for_update(of=("self",))
        .filter(pk__in=ids)
        .select_related("agent__organization")
        .order_by("pk")
    )
    mine = [owner for owner in locked if owner.erasure is None]
    if not mine:
        return Erasure.objects.get(pk=str(locked[0].erasure))
    made = Erasure.objects.create(
        organization=mine[0].agent.organization,
        agents=[owner.agent_id for owner in mine],
        owners=[owner.pk for owner in mine],
        user=person.pk if person else None,
        pseudonyms=[person_pseudonym(owner) or "" for owner in mine],
    )
    Owner.objects.filter(pk__in=made.owners).update(erasure=made.pk)
    enqueue(kind=KIND, key=str(made.pk), subject=f"{KIND}:{made.pk}")
    by = "the person" if person and actor == person.username else actor
    record(actor=by, action="erasure.begin", subject=str(made.pk))
    # If the process ends before this, the first step writes the line.
    transaction.on_commit(lambda: ledger.note_erasure(made), robust=True)
    failpoint("erase.begun")
    return made
