"""What a person does to the picture of themselves."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import Owner
from audit.log import record
from consolidation.deletion.forget import FORGOTTEN
from consolidation.models import ContextEvent
from knowledge.documents.context import forget_document
from knowledge.models import ContextDocument, ScaffoldEntry
from knowledge.profile.edit import edit_profile, erase_profile
from knowledge.profile.pointers import is_under


@transaction.atomic
def change_profile(
    *, owner: Owner, part: str, fields: Mapping[str, object], version: int, actor: str
) -> None:
    """Change one part of a picture in the version that was seen. Raises ItemUnfit or ItemChanged."""
    made = edit_profile(owner=owner, part=part, fields=fields, actor=actor, version=version)
    record(actor=actor, action=f"memory.edit_{part}", subject=str(made.pk))


@transaction.atomic
def forget_profile(
    *, owner: Owner, part: str, names: Sequence[str], version: int, actor: str
) -> bool:
    """Forget sentences, pointers or texts for good, with the observations that taught them.

    Return whether any of it was there. What was found from the same observations goes with them. Raises ItemUnfit or ItemChanged.
    """
    evidence = _evidence(owner, names)
    made = erase_profile(owner=owner, part=part, names=names, actor=actor, version=version)
    said = Q(pk__in=evidence)
    for name in names:
        said |= Q(content=name)
    events = ContextEvent.objects.filter(said, owner=owner)
    for event in events.values_list("pk", flat=True):
        for found in ContextDocument.objects.filter(owner=owner, events__contains=[str(event)]):
            if ContextDocument.objects.filter(pk=found.pk).exists():
                forget_document(owner=owner, id=found.pk)
    events.filter(processed=False).update(set_aside_at=timezone.now(), error_code=FORGOTTEN)
    observed = events.update(content="")
    record(actor=actor, action=f"memory.delete_{part}", subject=str(made.pk))
    return bool(observed) or made.items.exists()


def _evidence(owner: Owner, names: Sequence[str]) -> list[UUID]:
    """Return the observations that bear out the leaves under some pointers."""
    rows = ScaffoldEntry.objects.filter(owner=owner).values_list("path", "evidence")
    return [
        event
        for path, events in rows
        if any(is_under(path, name) for name in names)
        for event in events
    ]
