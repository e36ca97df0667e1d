"""Candidates into what is known, while others write, and when the process dies."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.db import connection

from accounts.owners import resolve_owner
from audit import failpoint
from consolidation.deletion.forget import forget_item
from consolidation.errors import LeaseLost, Postponed
from consolidation.learning.reconcile.outcomes import Made
from extraction.contracts.learning import FactMatch, SemanticReconciliation, Sure
from knowledge.models import Changeset, Fact
from providers.chat import Completion
from tests.consolidation.learning.reconcile.candidates import active, claimed, commit, fact, says
from tests.factories import make_agent, make_session
from tests.knowledge.learned import added, changed, fact_fields


def test_the_mark_and_the_changes_stand_or_fall_together(session, endpoint):
    def mark(outcome):
        assert outcome.facts.writes == 1
        raise failpoint.FailpointReached("mark")

    with pytest.raises(failpoint.FailpointReached):
        commit(session, fact(), mark=mark)

    assert not Fact.objects.exists()
    assert commit(session, fact(), key="turn-1").facts.writes == 1


def test_a_run_that_lost_its_job_writes_nothing(session, endpoint):
    job = replace(claimed(), fence=99)

    with pytest.raises(LeaseLost):
        commit(session, fact(), job=job)

    assert not Fact.objects.exists()


class Meanwhile:
    """A model during whose answer something else happens, so many times."""

    def __init__(self, act, times: int) -> None:
        self.act, self.left, self.asked = act, times, 0

    def complete(self, task, *, seconds=None):
        self.asked += 1
        if self.left:
            self.left -= 1
            self.act(self.asked)
        answer = SemanticReconciliation(
            action=FactMatch.SUPERSEDE, record_indexes=[0], reason="so", confidence=Sure.HIGH
        )
        return Completion(answer, "meanwhile", 0, 0)


def test_what_collides_and_changed_meanwhile_is_asked_about_anew(session, monkeypatch):
    commit(session, fact())
    other = added(fields=fact_fields("Nice", "I live in Nice."))
    model = Meanwhile(lambda n: changed(session.owner, other), 1)
    monkeypatch.setattr("consolidation.learning.reconcile.planning.chat_model", lambda: model)

    commit(session, fact("Paris", "I live in Paris now."), key="turn-2")

    assert model.asked == 2
    assert active() == ["Nice", "Paris"]


def test_other_facts_that_change_meanwhile_do_not_matter(session, monkeypatch):
    commit(session, fact())
    goal = added(fields=fact_fields("a marathon", "I want to run.", category="goal"))
    model = Meanwhile(lambda n: changed(session.owner, goal), 1)
    monkeypatch.setattr("consolidation.learning.reconcile.planning.chat_model", lambda: model)

    commit(session, fact("Paris", "I live in Paris now."), key="turn-2")

    assert model.asked == 1


@pytest.mark.requirement("XX-06")
def test_what_is_deleted_while_the_model_thinks_is_not_brought_back(session, monkeypatch):
    commit(session, fact())
    target = Fact.objects.get().pk

    def delete(number: int) -> None:
        forget_item(owner=session.owner, kind="fact", target=target, actor="alice")

    model = Meanwhile(delete, 1)
    monkeypatch.setattr("consolidation.learning.reconcile.planning.chat_model", lambda: model)

    outcome = commit(session, fact("the city of Lyon", "I live in Lyon."), key="turn-2")

    assert (model.asked, outcome.facts.made) == (1, (Made.BURIED,))
    assert not Fact.objects.exists()


def test_what_never_stays_still_is_put_off(session, monkeypatch):
    commit(session, fact())

    def move(number: int) -> None:
        changed(session.owner, added(fields=fact_fields(f"town {number}", f"Town {number}.")))

    monkeypatch.setattr(
        "consolidation.learning.reconcile.planning.chat_model", lambda: Meanwhile(move, 9)
    )

    with pytest.raises(Postponed) as caught:
        commit(session, fact("Paris", "I live in Paris now."), key="turn-2")

    assert (caught.value.code, caught.value.counts) == ("memory_moved", False)
    assert "Paris" not in active()


@pytest.mark.django_db(transaction=True)
@pytest.mark.requirement("OC-26")
@pytest.mark.parametrize("place", ["reconcile.after_reply", "changes.after_item"])
def test_a_crash_leaves_all_or_nothing_and_the_next_run_ends_it(
    endpoint, monkeypatch, tmp_path, place
):
    session = make_session(make_agent("porter"))
    commit(session, fact())
    endpoint.script = [says("supersede", 0)] * 2
    monkeypatch.setattr(failpoint, "FOLDER", str(tmp_path))
    (tmp_path / place).write_text("raise")

    with pytest.raises(failpoint.FailpointReached):
        commit(session, fact("Paris", "I live in Paris now."), key="turn-2")
    assert active() == ["Lyon"]
    assert Fact.objects.count() == 1

    commit(session, fact("Paris", "I live in Paris now."), key="turn-2b")
    assert active() == ["Paris"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.requirement("OC-51")
def test_ten_sessions_of_one_person_learn_at_once():
    agent = make_agent("porter")
    owner = resolve_owner(agent=agent, user="alice")
    sessions = [make_session(agent, "alice") for _ in range(10)]

    def learn(number: int) -> None:
        try:
            place = fact(f"town {number}", f"I know town {number}.", **PLACES[number])
            commit(sessions[number], place, key=f"turn-{number}")
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(learn, range(10)))

    assert Fact.objects.filter(owner=owner).active().count() == 10
    assert Changeset.objects.count() == 10


PLACES = [
    {"category": category, "predicate": predicate}
    for category in ("context", "goal", "preference", "loss", "trigger")
    for predicate in ("USES", "WANTS")
]
