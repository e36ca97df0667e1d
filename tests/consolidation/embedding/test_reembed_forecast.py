from decimal import Decimal

import pytest
from django.core.management import CommandError

from accounts.credits import set_budget
from audit.models import CostEntry
from memory.models import EmbeddingSpace
from tests.consolidation.embedding.spaces import TEXTS, reembed
from tests.consolidation.paid import give, paid_models
from tests.factories import make_ended_session

PAID = {"model": "text-embedding-3-small", "dimension": 64}
pytestmark = pytest.mark.django_db


@pytest.fixture
def ended(porter):
    return make_ended_session(porter, TEXTS)


@pytest.fixture
def endpoint(settings, ended):
    with paid_models(settings) as server:
        yield server


def limit(agent, micro_usd: str) -> None:
    set_budget(organization=agent.organization, micro_usd=Decimal(micro_usd), actor="test")


def test_a_dry_run_says_the_tokens_and_the_price(endpoint):
    said = reembed(**PAID, dry_run=True, yes=False)

    assert "tokens for 0.0000 US dollars" in said
    assert EmbeddingSpace.objects.count() == 1
    assert endpoint.asked == []


def test_beyond_a_budget_it_begins_only_when_told_to(endpoint, ended):
    limit(ended.owner.agent, "0.01")

    with pytest.raises(CommandError, match="more than a budget has left"):
        reembed(**PAID, yes=False)

    assert EmbeddingSpace.objects.count() == 1
    with pytest.raises(CommandError, match="out_of_budget"):
        reembed(**PAID)
    assert endpoint.asked == []


def test_the_organization_pays_and_not_the_user(endpoint, ended):
    give("alice", 0)

    reembed(**PAID)

    entry = CostEntry.objects.get()
    assert (entry.purpose, entry.user, entry.state) == ("reembed", None, "settled")
    assert entry.organization == ended.owner.agent.organization_id


def test_a_model_without_a_price_says_so(endpoint):
    said = reembed(model="unheard-of", dimension=64, dry_run=True)

    assert "a price nobody knows" in said
