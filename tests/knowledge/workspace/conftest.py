import pytest

from accounts.owners import resolve_owner


@pytest.fixture
def owner(porter, settings, tmp_path):
    settings.WORKSPACE = str(tmp_path / "root")
    return resolve_owner(agent=porter, user="alice")
