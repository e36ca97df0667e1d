import pytest

from recollect import Recollect
from tests.api.connecting import key_of
from tests.factories import make_agent


@pytest.fixture
def porter(transactional_db):
    return make_agent("porter")


@pytest.fixture
def key(porter) -> str:
    return key_of(porter)


@pytest.fixture
def memory(live_server, key):
    with Recollect(key, url=live_server.url) as made:
        yield made
