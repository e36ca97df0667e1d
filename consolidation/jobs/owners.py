"""Whose a job is: its subject names a session, an owner or an erasure, and they an organization."""

from uuid import UUID

from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from consolidation.models import Job

# What stands behind the colon is only read as what it can be: `embed:0` is the installation's.
OF_ORGANIZATION = """(
  exists (
    select from memory_session session
    join accounts_owner owner on owner.id = session.owner_id
    join accounts_agent agent on agent.id = owner.agent_id
    where agent.organization_id = %s
      and session.id = case when consolidation_job.subject ~ '^[a-z_]+:[0-9a-f-]{36}$'
                       then split_part(consolidation_job.subject, ':', 2)::uuid end
  ) or exists (
    select from accounts_owner owner
    join accounts_agent agent on agent.id = owner.agent_id
    where agent.organization_id = %s
      and owner.id = case when consolidation_job.subject
                               ~ '^(profile|inbox|attachments|patterns|import):[0-9]{1,9}$'
                     then split_part(consolidation_job.subject, ':', 2)::integer end
  ) or exists (
    select from consolidation_erasure erasure
    where erasure.organization_id = %s
      and erasure.id = case when consolidation_job.subject ~ '^erase:[0-9a-f-]{36}$'
                       then split_part(consolidation_job.subject, ':', 2)::uuid end
  )
)"""


def jobs_of(organization: UUID) -> QuerySet[Job]:
    """Return the jobs about the organization's people and sessions, and none of the installation's."""
    of_organization = RawSQL(  # noqa: S611 - literals above
        OF_ORGANIZATION, (organization,) * 3, output_field=BooleanField()
    )
    return Job.objects.filter(of_organization)
