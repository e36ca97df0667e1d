import pytest
from django.test import Client

from accounts.models import User


@pytest.fixture
def desk(client: Client, operator: User) -> Client:
    """Return the browser of a signed-in operator."""
    client.force_login(operator)
    return client
