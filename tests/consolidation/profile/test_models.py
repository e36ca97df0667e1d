"""Which model makes the picture."""

import pytest

from consolidation.profile.ask import models_of
from knowledge.models import ContextDocument
from providers.registry import chat_model_named
from recall.models import Receipt
from tests.consolidation.profile.observed import (
    Model,
    answer,
    narrative,
    observed,
    owner_of,
    scaffold,
    synthesise,
)


@pytest.mark.requirement("TS-36")
def test_the_model_is_a_setting_of_its_own(settings, porter):
    settings.CHAT, settings.OPENAI_BASE_URL = "openai", "http://127.0.0.1:9"
    settings.SYNTHESIS_MODEL = "small-and-cheap"

    (name,) = models_of(porter)
    found = chat_model_named(name)

    assert (found.name, found.model) == ("openai", "small-and-cheap")
    assert chat_model_named("").model == settings.OPENAI_CHAT_MODEL


def test_an_agent_may_have_parts_answered_by_other_models(porter, monkeypatch):
    porter.synthesis_models = {"all": "small", "facts": "large"}
    porter.save()
    owner = owner_of(porter)
    models = {
        "small": Model(answer({"Name": "Alice"}, "Small.", ["small"]), model="small"),
        "large": Model(answer({"Name": "Bob"}, "Large.", ["large"]), model="large"),
    }
    monkeypatch.setattr("consolidation.profile.job.chat_model_named", models.__getitem__)
    observed(owner, "Alice.")

    synthesise(owner)

    assert (narrative(owner), scaffold(owner)) == ("Small.", {"Name": "Alice"})
    assert ContextDocument.objects.get().content == "large"
    assert Receipt.objects.get().searched_by == "small, large"
