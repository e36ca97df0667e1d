from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.driver import run
from accounts.ids import new_id
from recall.prompt.sources.profile import NO_PROFILE, LearnedTexts, load_profile
from tests.factories import make_agent
from tests.recall.learned import owner_of
from tests.recall.pictures import S, W, connect, picture, sure


def test_it_reads_everything_in_one_statement(porter, monkeypatch):
    alice = owner_of(porter)
    narrative, scaffold, learned = picture(alice)
    sure(alice, "/Role", 0.9)
    jira = connect(alice, name="work")

    statements = []

    def counted(*sent):
        statements.append(sent)
        return run(*sent)

    monkeypatch.setattr("recall.prompt.sources.profile.run", counted)
    with CaptureQueriesContext(connection) as through_django:
        found = load_profile(alice)

    assert (len(statements), len(through_django)) == (1, 0)
    assert (found.narrative.id, found.narrative.version, found.narrative.text) == (
        narrative.pk,
        3,
        W,
    )
    assert (found.scaffold.id, found.scaffold.version, found.scaffold.data) == (scaffold.pk, 5, S)
    assert found.scaffold.confidences == {"/Role": 0.9}
    assert (found.learned.id, found.learned.version, found.learned.items) == (
        learned.pk,
        2,
        ["has a cat"],
    )
    (tool,) = found.connections
    assert (tool.id, tool.version, tool.tool, tool.name) == (jira.pk, 1, "jira", "work")
    assert tool.info == {"default_project": "jira-PROJ"}


def test_a_user_nobody_learned_of_has_an_empty_profile(porter):
    found = load_profile(owner_of(porter))

    assert (found.narrative, found.scaffold) == (NO_PROFILE.narrative, NO_PROFILE.scaffold)
    assert found.learned == LearnedTexts(items=[])
    assert found.connections == []


def test_of_connections_those_named_count_else_those_that_are_active(porter):
    alice = owner_of(porter)
    jira, mail = connect(alice), connect(alice, "mail", is_active=False)
    connect(alice, "empty", persistent_learned_info={})

    def tools(named=None):
        return [tool.tool for tool in load_profile(alice, connections=named).connections]

    assert tools() == ["jira"]
    assert tools([mail.pk]) == ["mail"]
    assert tools([jira.pk, mail.pk, new_id()]) == ["jira", "mail"]
    assert tools([]) == []


def test_no_other_user_and_no_other_agent_is_read(porter):
    bob, other = owner_of(porter, "bob"), owner_of(make_agent("other"))
    for owner in (bob, other):
        picture(owner)
        sure(owner, "/Role", 0.9)
    theirs = [connect(bob).pk, connect(other).pk]

    found = load_profile(owner_of(porter), connections=theirs)

    assert (found.narrative.text, dict(found.scaffold.data), list(found.learned.items)) == (
        "",
        {},
        [],
    )
    assert (found.scaffold.confidences, found.connections) == ({}, [])


def test_a_leaf_without_a_confidence_has_that_of_what_holds_it(porter):
    alice = owner_of(porter)
    picture(alice)
    sure(alice, "/Goals", 0.7)
    scaffold = load_profile(alice).scaffold

    assert scaffold.sure_of("/Goals/year") == 0.7
    assert scaffold.sure_of("/Role") is None
