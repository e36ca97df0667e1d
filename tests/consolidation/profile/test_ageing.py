"""What a narrative says for so long as somebody bears it out."""

import pytest
from django.utils import timezone

from consolidation.profile import schedule as memory_runner
from knowledge.models import ChangeItem
from tests.consolidation.profile.observed import (
    ROUND,
    answer,
    narrative,
    observed,
    synthesise,
)
from tests.factories import run_jobs


@pytest.mark.requirement("TS-79")
def test_statements_that_nobody_bears_out_go_where_an_agent_wants_it(alice, asks):
    asks(answer(narrative="Alice keeps bees. Alice plans a trip."))
    observed(alice, "Alice plans a trip.", at=timezone.now())
    observed(alice, "Alice keeps bees.", at=timezone.now(), days=-50)
    synthesise(alice)
    memory_runner.run(ROUND)
    run_jobs()
    assert narrative(alice) == "Alice keeps bees. Alice plans a trip."

    alice.agent.narrative_days = 30
    alice.agent.save()
    memory_runner.run(ROUND)
    run_jobs()

    assert narrative(alice) == "Alice plans a trip."
    assert ChangeItem.objects.filter(reason="aged").count() == 1
    synthesise(alice)
    assert ChangeItem.objects.filter(reason="aged").count() == 1


@pytest.mark.requirement("TS-79")
def test_a_statement_said_again_is_as_fresh_as_new(alice, asks):
    alice.agent.narrative_days = 30
    alice.agent.save()
    asks(answer(narrative="Alice keeps bees."), answer(narrative="Alice keeps bees."))
    observed(alice, "Alice keeps bees.", at=timezone.now(), days=-29)
    synthesise(alice)
    observed(alice, "Alice keeps bees.", at=timezone.now(), days=-1)
    synthesise(alice)

    (statement,) = alice.usernarrative.statements
    assert statement["confirmed_at"] > statement["since"]
