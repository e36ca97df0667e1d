"""Change what all agents of an organization share."""

from collections.abc import Mapping

from django.db import transaction

from accounts.models import Organization
from audit.log import record


@transaction.atomic
def configure_organization(
    *, organization: Organization, actor: str, fields: Mapping[str, object]
) -> Organization:
    """Change the given fields and no others."""
    for name, value in fields.items():
        setattr(organization, name, value)
    organization.save(update_fields=list(fields))
    record(
        actor=actor,
        action="organization.configure",
        subject=organization.slug,
        detail={"fields": " ".join(sorted(fields))},
    )
    return organization
