"""Who answers."""

import pytest

from tests.consolidation.profile.observed import Model, owner_of


@pytest.fixture
def alice(porter):
    return owner_of(porter)


@pytest.fixture
def asks(monkeypatch):
    """Return a function that puts a model in the place of every named one."""

    def use(*answers) -> Model:
        model = Model(*answers)
        monkeypatch.setattr("consolidation.profile.job.chat_model_named", lambda name: model)
        return model

    return use
