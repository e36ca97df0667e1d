import pytest
from django.test import Client

from accounts.models import Agent, User
from tests.inspector.history.pasts import Past, make_past


@pytest.fixture
def past(porter: Agent) -> Past:
    return make_past(porter)


@pytest.fixture
def clerk(client: Client, rival: Agent) -> Client:
    """Return the browser of staff of another organization than porter's."""
    person = User.objects.create_user("charlie", is_staff=True, organization=rival.organization)
    client.force_login(person)
    return client


@pytest.fixture
def staff(client: Client, porter: Agent) -> Client:
    """Return the browser of staff of porter's organization who may only look."""
    home = porter.organization
    client.force_login(User.objects.create_user("bob", is_staff=True, organization=home))
    return client
