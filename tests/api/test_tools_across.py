"""`target_agent`: another agent's memory, asked by the tools of a model."""

import pytest

from accounts.models import Agent
from accounts.roles import prepare_roles
from audit.models import AuditEntry
from consolidation.embedding.documents import keep_document
from tests.api.test_tools import events, query, texts
from tests.factories import make_agent, make_ended_session, make_session, run_jobs


@pytest.fixture
def ledger(porter, roles) -> Agent:
    """Return another agent of porter's organization, with something to read."""
    prepare_roles()
    made = make_agent("ledger")
    keep_document(agent=made, actor="test", key="trains", content="Trains leave at nine.")
    make_ended_session(made, ["My cat only eats trout."])
    return made


@pytest.mark.requirement("CH-12")
@pytest.mark.parametrize("mode", ["semantic", "text"])
def test_any_agent_reads_another_s_knowledge(api, ledger, mode):
    run_jobs()

    answer = query(api, "knowledge", mode, query="when do trains leave", target_agent="ledger")

    assert texts(answer) == ["Trains leave at nine."]
    assert AuditEntry.objects.filter(action="memory.read_across", subject="ledger").count() == 1


@pytest.mark.requirement("CH-10")
@pytest.mark.parametrize(
    ("mode", "words"), [("semantic", "cat"), ("text", "cat"), ("text", '"only eats"')]
)
def test_the_person_of_the_session_is_who_the_other_is_asked_about(
    api, porter, ledger, mode, words
):
    alices, bobs = make_session(porter), make_session(porter, user="bob")

    found = query(api, "session", mode, alices, query=words, target_agent="ledger")
    others = query(api, "session", mode, bobs, query=words, target_agent="ledger")

    assert texts(found) == ["My cat only eats trout."]
    assert texts(others) == []
    assert texts(query(api, "session", mode, query=words, target_agent="ledger")) == []


def test_a_whole_session_of_another_is_read_in_pages(api, porter, ledger):
    theirs = make_ended_session(ledger, ["one", "two", "three"])
    mine = make_session(porter)
    asked = {"session_id": str(theirs.pk), "target_agent": "ledger"}

    first = query(api, "session", "session_detail", mine, limit=2, **asked)
    rest = query(api, "session", "session_detail", mine, after=first.json()["next"], **asked)
    alone = query(api, "session", "session_detail", **asked)
    unnamed = query(api, "session", "session_detail", mine, target_agent="ledger")

    assert events(first) + events(rest) == ["one", "two", "three"]
    assert (alone.status_code, alone.json()["code"]) == (404, "not_found")
    assert (unnamed.status_code, unnamed.json()["code"]) == (422, "session_id_required")


def test_an_agent_that_there_is_not_is_unknown(api, ledger, rival):
    for target in ("nobody", "rival"):
        answer = query(api, "knowledge", "text", query="trains", target_agent=target)
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_agent")
