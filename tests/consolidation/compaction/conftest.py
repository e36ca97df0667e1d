import pytest

from tests.factories import make_agent


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def cook(db):
    """Return an agent whose window is short, and which learns nothing beside."""
    return make_agent("cook", window_events=10, learns=False)
