import pytest
from django.test import Client

from accounts.models import Agent, User
from consolidation.models import Job


@pytest.fixture
def staff(client: Client, porter: Agent) -> Client:
    """Return the browser of one of the staff of porter's organization, who keeps nothing else."""
    home = porter.organization
    client.force_login(User.objects.create_user("charlie", is_staff=True, organization=home))
    return client


@pytest.fixture
def dead(db) -> Job:
    return Job.objects.create(
        kind="embed",
        key="1",
        state="dead",
        attempts=5,
        max_attempts=5,
        last_error_code="provider_refused",
    )
