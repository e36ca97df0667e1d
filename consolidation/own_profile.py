"""What a person does to the picture of themselves."""

from collections.abc import Mapping

from django.db import transaction

from accounts.models import Owner
from audit.log import record
from knowledge.profiles import edit_profile


@transaction.atomic
def change_profile(
    *, owner: Owner, part: str, fields: Mapping[str, object], version: int, actor: str
) -> None:
    """Change one part of a picture in the version that was seen. Raises ItemUnfit or ItemChanged."""
    made = edit_profile(owner=owner, part=part, fields=fields, actor=actor, version=version)
    record(actor=actor, action=f"memory.edit_{part}", subject=str(made.pk))
