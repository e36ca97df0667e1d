"""What a person does to the picture of themselves."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.db import transaction

from accounts.models import Owner
from audit.log import record
from consolidation.deletion.forget import AT_ONCE, ForgetResult, forget
from consolidation.deletion.trace import Target
from knowledge.profile.edit import edit_profile


@transaction.atomic
def change_profile(
    *, owner: Owner, part: str, fields: Mapping[str, object], version: int, actor: str
) -> None:
    """Change one part of a picture in the version that was seen. Raises ItemUnfit or ItemChanged."""
    made = edit_profile(owner=owner, part=part, fields=fields, actor=actor, version=version)
    record(actor=actor, action=f"memory.edit_{part}", subject=str(made.pk))


def forget_profile(
    *,
    owner: Owner,
    part: str,
    names: Sequence[str],
    version: int,
    actor: str,
    keep_for: timedelta = AT_ONCE,
) -> ForgetResult:
    """Forget sentences, pointers or texts, with the observations that taught them.

    What was found from the same observations goes with them. Its act is None where nothing of it
    was there. Raises ItemChanged.
    """
    targets = [Target(part, name, version) for name in names]
    return forget(owner=owner, items=targets, actor=actor, keep_for=keep_for)
