import pytest
from django.test import Client

from accounts.models import Owner
from tests.consolidation.deletion.erasure.conftest import fill_person


@pytest.fixture(autouse=True)
def data(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"


@pytest.fixture
def alice(porter) -> Owner:
    return fill_person(porter).owner


@pytest.fixture
def phone(client: Client, alice: Owner) -> Client:
    """Return alice's browser, signed in."""
    client.force_login(alice.user)
    return client
