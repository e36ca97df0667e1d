import pytest

from accounts.roles import prepare_roles
from accounts.sealed.keeping import waiting
from crisis.log import EPHEMERAL as CRISES
from feedback.record import EPHEMERAL as LABELS


@pytest.fixture(autouse=True)
def nothing_left():
    """Leave no write behind that would be tried again, and nothing in the process."""
    yield
    waiting.clear()
    CRISES._records, LABELS._records = {}, {}


@pytest.fixture
def auditor(roles) -> None:
    """Seal the tables, as a start of the server does."""
    prepare_roles()
