import pytest

from accounts.models import User
from recall.models import Receipt
from tests.inspector.why.story import make_receipt, make_talk


@pytest.fixture
def talk(porter):
    return make_talk(porter)


@pytest.fixture
def receipt(porter, talk) -> Receipt:
    return make_receipt(porter, talk)


@pytest.fixture
def clerk(client, rival):
    """Return the browser of staff of another organization than porter's."""
    staff = User.objects.create_user("charlie", is_staff=True, organization=rival.organization)
    client.force_login(staff)
    return client
