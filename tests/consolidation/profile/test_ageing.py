"""What a narrative says for so long as somebody bears it out."""

from datetime import timedelta

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
    told,
)
from tests.factories import run_jobs


@pytest.mark.requirement("TS-79")
def test_statements_that_nobody_bears_out_go_where_an_agent_wants_it(alice, asks):
    trip = observed(alice, "Alice plans a trip.", at=timezone.now())
    bees = observed(alice, "Alice keeps bees.", at=timezone.now(), days=-50)
    asks(answer(narrative=[told("Alice keeps bees.", bees), told("Alice plans a trip.", trip)]))
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
    asks(answer(narrative="Alice keeps bees."))
    observed(alice, "Alice keeps bees.", at=timezone.now(), days=-29)
    synthesise(alice)
    again = observed(alice, "Bees, still.", at=timezone.now(), days=-1)
    asks(answer(narrative=[told("Alice keeps bees.", "w1", again)]))
    synthesise(alice)

    (statement,) = alice.usernarrative.statements
    assert statement["confirmed_at"] > statement["since"]


@pytest.mark.requirement("TS-79")
def test_telling_a_sentence_anew_makes_it_no_fresher(alice, asks):
    alice.agent.narrative_days = 30
    alice.agent.save()
    exam = observed(alice, "The exam is near.", at=timezone.now(), days=-29)
    asks(answer(narrative=[told("Alice sits an exam.", exam)]))
    synthesise(alice)
    row = alice.usernarrative
    row.statements = [
        one | {"confirmed_at": (timezone.now() - timedelta(days=200)).isoformat()}
        for one in row.statements
    ]
    row.save()
    bees = observed(alice, "Bees.", at=timezone.now())
    asks(answer(narrative=[told("An exam lies ahead of her.", "w1"), told("She has bees.", bees)]))

    synthesise(alice)

    assert narrative(alice) == "She has bees."
