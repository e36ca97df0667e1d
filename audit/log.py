"""Record one privileged act."""

from collections.abc import Mapping

from audit.models import AuditEntry


def record(
    *, actor: str, action: str, subject: str, detail: Mapping[str, str | int] | None = None
) -> None:
    """Write one entry, in the caller's transaction: the act and its record stand or fall together.

    `detail` holds codes and numbers; words of a person never belong here.
    """
    AuditEntry.objects.create(
        actor=actor, action=action, subject=subject, detail=dict(detail or {})
    )
