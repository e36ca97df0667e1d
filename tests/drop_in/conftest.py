import openai
import pytest

from tests.api.connecting import key_of
from tests.drop_in.talking import forget
from tests.drop_in.upstream import running
from tests.factories import make_agent


@pytest.fixture
def porter(transactional_db):
    return make_agent("porter")


@pytest.fixture
def model(settings):
    with running() as fake:
        settings.CHAT, settings.OPENAI_BASE_URL = "openai", fake.url
        settings.OPENAI_API_KEY = "sk-of-the-operator"
        forget()
        yield fake
        forget()


@pytest.fixture
def client(live_server, porter):
    with openai.OpenAI(
        base_url=f"{live_server.url}/v1", api_key=key_of(porter), max_retries=0
    ) as made:
        yield made
