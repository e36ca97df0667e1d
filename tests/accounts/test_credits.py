"""Balances and budgets: what may be spent, and by how many at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection

from accounts.billing import Charge
from accounts.credits import (
    is_beyond_a_budget,
    reserve,
    seconds_until_tomorrow,
    set_balance,
    set_budget,
    settle,
    today,
)
from accounts.models import Balance, Budget
from accounts.owners import agent_owner, resolve_owner
from audit.costs import CostedCall, settle_stale
from audit.models import CostEntry
from tests.factories import make_agent

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(porter):
    return resolve_owner(agent=porter, user="alice")


def call(micro_usd: float = 10) -> CostedCall:
    return CostedCall(
        "embed", "openai", "a model", Decimal(str(micro_usd)), "1", embedding_tokens=5
    )


def spend(owner, micro_usd: float = 10, **charge):
    return reserve(Charge(owner.pk, **charge), call(micro_usd))


def give(owner, micro_usd: int | None) -> None:
    set_balance(
        user=owner.user, micro_usd=None if micro_usd is None else Decimal(micro_usd), actor="test"
    )


def limit(owner, micro_usd: int | None, **scope):
    amount = None if micro_usd is None else Decimal(micro_usd)
    return set_budget(
        organization=owner.agent.organization, micro_usd=amount, actor="test", **scope
    )


def left(owner) -> Decimal:
    return Balance.objects.get(user=owner.user).micro_usd


def states() -> list[tuple[str, float]]:
    rows = CostEntry.objects.order_by("pk").values_list("state", "micro_usd")
    return [(state, float(micro_usd)) for state, micro_usd in rows]


def test_without_a_limit_everything_is_entered_and_nothing_refused(alice):
    reservation = spend(alice)

    assert reservation is not None
    entry = CostEntry.objects.get()
    assert (entry.organization, entry.agent) == (alice.agent.organization_id, alice.agent_id)
    assert (entry.owner, entry.user, entry.state) == (alice.pk, alice.user_id, "reserved")


def test_a_call_for_nobody_is_the_installations(db):
    assert reserve(Charge(), call()) is not None
    assert CostEntry.objects.get().organization is None
    assert reserve(Charge(owner=123_456), call()) is not None


@pytest.mark.requirement("TS-73")
def test_a_call_is_deducted_from_the_balance_and_settled_at_what_it_took(alice):
    give(alice, 100)

    reservation = spend(alice, 10)
    assert left(alice) == 90
    settle(reservation, call(4))

    assert left(alice) == 96
    assert states() == [("settled", 4)]


@pytest.mark.requirement("TS-74")
def test_each_deduction_is_recorded_and_a_refusal_once_a_day(alice):
    give(alice, 25)

    made = [spend(alice) for _ in range(5)]

    assert [one is not None for one in made] == [True, True, False, False, False]
    assert states() == [("reserved", 10), ("reserved", 10), ("refused", 0)]
    assert left(alice) == 5


def test_a_call_that_failed_gives_everything_back(alice):
    give(alice, 100)
    limit(alice, 50)

    settle(spend(alice), None)

    assert left(alice) == 100
    assert Budget.objects.get().spent_micro_usd == 0
    assert states() == [("failed", 0)]


def test_what_a_call_takes_beyond_its_estimate_never_leaves_less_than_nothing(alice):
    give(alice, 12)

    settle(spend(alice, 10), call(30))

    assert left(alice) == 0
    assert states() == [("settled", 30)]


def test_a_reservation_is_settled_once(alice):
    give(alice, 100)
    reservation = spend(alice)

    settle(reservation, call(4))
    settle(reservation, None)

    assert left(alice) == 96


@pytest.mark.parametrize("scope", ["organization", "agent", "user", "both"])
def test_every_budget_that_covers_a_call_is_hard(alice, scope):
    scopes = {
        "organization": {},
        "agent": {"agent": alice.agent},
        "user": {"user": alice.user},
        "both": {"agent": alice.agent, "user": alice.user},
    }
    limit(alice, 1_000)
    limit(alice, 15, **scopes[scope])

    assert spend(alice) is not None
    assert spend(alice) is None


def test_anothers_budget_limits_nobody_else(alice, rival):
    bob = resolve_owner(agent=make_agent("baker"), user="bob")
    limit(alice, 0, agent=alice.agent)
    limit(alice, 0, user=alice.user)
    stranger = resolve_owner(agent=rival, user="charlie")

    assert spend(alice) is None
    assert spend(bob) is not None
    assert spend(stranger) is not None


def test_a_refused_call_leaves_the_other_limits_as_they_were(alice):
    limit(alice, 100)
    give(alice, 5)

    assert spend(alice) is None

    assert Budget.objects.get().left(today()) == 100
    assert left(alice) == 5


def test_tomorrow_the_budget_is_whole_again(alice):
    limit(alice, 15)
    assert spend(alice) is not None
    Budget.objects.update(day=today() - timedelta(days=1))

    assert spend(alice) is not None
    assert Budget.objects.get().spent_micro_usd == 10
    assert 0 < seconds_until_tomorrow() <= 86_400


def test_what_is_settled_after_midnight_is_not_the_new_days(alice):
    limit(alice, 100)
    reservation = spend(alice)
    Budget.objects.update(day=today() + timedelta(days=1))

    settle(reservation, None)

    assert Budget.objects.get().spent_micro_usd == 10


def test_a_new_budget_counts_what_was_spent_today(alice):
    bob = resolve_owner(agent=alice.agent, user="bob")
    settle(spend(alice, 10), call(10))
    settle(spend(bob, 3), call(3))

    assert limit(alice, 100).left(today()) == 87
    assert limit(alice, 100, user=alice.user).left(today()) == 90
    assert limit(alice, 100, agent=alice.agent).left(today()) == 87
    assert is_beyond_a_budget(Decimal(88))
    assert not is_beyond_a_budget(Decimal(87))


def test_a_limit_is_changed_and_taken_away(alice):
    give(alice, 0)
    limit(alice, 0)
    assert limit(alice, 20).micro_usd == 20
    assert Budget.objects.count() == 1
    assert spend(alice) is None

    give(alice, None)
    limit(alice, None)

    assert not Balance.objects.exists()
    assert not Budget.objects.exists()
    assert spend(alice, 1_000) is not None


def test_who_has_no_user_has_no_balance(alice):
    owner = agent_owner(alice.agent)
    give(alice, 0)
    limit(alice, 100)

    assert spend(owner) is not None


def test_the_operator_may_spare_the_user(alice):
    give(alice, 0)
    limit(alice, 15)

    assert spend(alice, spares_user=True) is not None
    assert spend(alice, spares_user=True) is None


def test_a_reservation_of_somebody_who_died_is_settled_at_the_estimate(alice):
    give(alice, 100)
    spend(alice)
    assert settle_stale() == 0
    CostEntry.objects.update(created_at=CostEntry.objects.get().created_at - timedelta(hours=1))

    assert settle_stale() == 1

    assert states() == [("settled", 10)]
    assert left(alice) == 90


@pytest.mark.requirement("TS-73")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("by", ["balance", "budget", "both"])
def test_many_at_once_never_spend_more_than_there_is(alice, by):
    if by != "budget":
        give(alice, 105)
    if by != "balance":
        limit(alice, 105)
        limit(alice, 1_000, user=alice.user)

    def attempt(number: int) -> bool:
        try:
            reservation = spend(alice)
            if reservation and number % 2:
                settle(reservation, call(10))
            return reservation is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(attempt, range(64)))

    assert sum(made) == 10
    if by != "budget":
        assert left(alice) == 5
    if by != "balance":
        assert Budget.objects.get(user=None).spent_micro_usd == 100
