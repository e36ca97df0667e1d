from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction

from accounts.models import Agent, Owner
from accounts.owners import resolve_owner
from accounts.roles import Role, execute, prepare_roles, ready_role, role_name
from audit.models import AuditEntry
from consolidation.edits.memory import set_sharing
from consolidation.embedding.documents import keep_document
from consolidation.intake.accept import accept_events
from memory.models import Chunk, Event, Session
from recall.answers.across_agents import events_across, find_target, reading, recall_across
from recall.errors import AgentNotShared, AgentUnknown, SessionUnknown
from recall.models import Receipt
from recall.search.fuse import FusedQuestion
from recall.search.questions.question import SearchMode
from tests.accounts.acting import ask
from tests.factories import make_agent, make_ended_session, make_session, run_jobs, said


@pytest.fixture
def ledger(porter) -> Agent:
    """Return another agent of porter's organization."""
    return make_agent("ledger")


@pytest.fixture
def reader(roles) -> str:
    """Return the role that reads across agents."""
    prepare_roles()
    return role_name(Role.READER.value)


def texts(caller: Agent, **fields) -> list[str]:
    asked = FusedQuestion("where is the gate key", 5, fields.pop("mode", SearchMode.HYBRID))
    place = {"target": "ledger", **fields}
    return [hit.text for hit in recall_across(caller=caller, asked=asked, **place).found.hits]


def whole(caller: Agent, **fields) -> int:
    found, _ = events_across(caller=caller, target="ledger", limit=9, **fields)
    return len(found)


def own_session(agent: Agent, text: str) -> Session:
    """Return an ended session whose memory is the agent's own."""
    ended = make_ended_session(agent, [text], user="nobody")
    Owner.objects.filter(pk=ended.owner_id).update(kind=Owner.Kind.AGENT, user=None, key="self")
    return ended


@pytest.mark.requirement("CH-10")
def test_any_agent_finds_what_another_remembers(porter, ledger, reader):
    own_session(ledger, "the gate key hangs in the shed")

    assert texts(porter) == ["the gate key hangs in the shed"]
    assert texts(porter, mode=SearchMode.SEMANTIC) == ["the gate key hangs in the shed"]
    assert texts(porter, max_tokens=1) == []


def test_what_was_said_beside_it_is_read_as_well(porter, ledger, reader):
    ended = make_ended_session(ledger, ["the gate key hangs in the shed", "thank you"])

    answer = recall_across(
        caller=porter, target="ledger", asked=FusedQuestion("gate key", 1), user="alice", widen=1
    )

    (around,) = answer.around.values()
    assert [event.session_id for event in around.after] == [ended.pk]


@pytest.mark.requirement("CH-13")
def test_the_rows_are_read_as_the_reader_and_each_read_is_logged(porter, ledger, reader):
    ended = own_session(ledger, "the gate key hangs in the shed")

    with reading(caller=porter, owner=ended.owner, act="recall"):
        ((who,),) = ask("select current_user")

    assert who == reader
    assert ask("select current_user") != [(who,)]
    entry = AuditEntry.objects.get(action="memory.read_across")
    assert (entry.actor, entry.subject) == ("agent porter", "ledger")
    assert entry.detail == {"owner": ended.owner_id, "act": "recall"}


def test_a_read_leaves_its_mark_and_no_receipt(porter, ledger):
    own_session(ledger, "the gate key hangs in the shed")
    texts(porter)

    assert AuditEntry.objects.filter(action="memory.read_across").count() == 1
    assert not Receipt.objects.exists()


def test_what_is_known_of_a_person_is_found_for_that_person_alone(porter, ledger):
    ended = make_ended_session(ledger, ["the gate key hangs in the shed"], user="alice")

    assert texts(porter) == []
    assert texts(porter, user="bob") == []
    assert texts(porter, user="alice") == ["the gate key hangs in the shed"]
    assert texts(porter, user="alice", session=ended.pk) == ["the gate key hangs in the shed"]
    for user in (None, "bob"):
        with pytest.raises(SessionUnknown):
            texts(porter, user=user, session=ended.pk)


def test_an_agent_of_another_organization_is_as_unknown_as_none(porter, ledger, rival):
    for target in ("rival", "nobody"):
        with pytest.raises(AgentUnknown, match=f"there is no agent {target}"):
            texts(porter, target=target)


def test_an_agent_that_is_not_shared_is_read_by_itself_alone(porter, ledger):
    Agent.objects.filter(pk=ledger.pk).update(is_shared=False)

    with pytest.raises(AgentNotShared):
        texts(porter)
    assert find_target(caller=ledger, slug="ledger") == ledger
    assert not AuditEntry.objects.filter(action="memory.read_across").exists()


def test_what_a_person_keeps_to_one_agent_is_as_if_it_were_not_there(porter, ledger, reader):
    ended = make_ended_session(ledger, ["the gate key hangs in the shed"], user="alice")
    make_ended_session(ledger, ["the gate key hangs in the hall"], user="bob")
    keep_document(agent=ledger, actor="test", content="A gate key is made of iron.")
    run_jobs()
    alice, both = ended.owner, ("session", "knowledge")

    set_sharing(owner=alice, enabled=False, actor="alice")

    assert texts(porter, user="alice", stores=both) == ["A gate key is made of iron."]
    for read in (texts, whole):
        with pytest.raises(SessionUnknown):
            read(porter, user="alice", session=ended.pk)
    read_of_her = AuditEntry.objects.filter(action="memory.read_across", detail__owner=alice.pk)
    assert not read_of_her.exists()
    assert texts(porter, user="bob") == ["the gate key hangs in the hall"]
    assert texts(ledger, user="alice") == ["the gate key hangs in the shed"]

    for _ in range(2):
        set_sharing(owner=alice, enabled=True, actor="alice")

    assert texts(porter, user="alice") == ["the gate key hangs in the shed"]
    assert whole(porter, user="alice", session=ended.pk) == 1
    switched = AuditEntry.objects.filter(action="memory.sharing", subject=str(alice.pk))
    assert [one.detail["enabled"] for one in switched.order_by("pk")] == [False, True]


def test_what_is_the_agent_s_own_can_be_kept_to_it_as_well(porter, ledger):
    own = own_session(ledger, "the gate key hangs in the shed").owner
    keep_document(agent=ledger, actor="test", content="A gate key is made of iron.")
    run_jobs()

    set_sharing(owner=own, enabled=False, actor="operator")

    assert texts(porter, stores=("session", "knowledge")) == []
    assert len(texts(ledger, stores=("session", "knowledge"))) == 2


def test_an_ended_session_is_read_in_full(porter, ledger, reader):
    ended = own_session(ledger, "the gate key hangs in the shed")

    (event,), following = events_across(caller=porter, target="ledger", session=ended.pk, limit=9)

    assert following is None
    assert event.content["content"] == "the gate key hangs in the shed"
    with pytest.raises(SessionUnknown):
        events_across(caller=porter, target="ledger", session=uuid4(), limit=9)


def test_an_open_session_is_nobody_else_s_to_read(porter, ledger, reader):
    session = make_session(ledger)
    accept_events(agent=ledger, session=session, drafts=[said("the code is 4711")])

    with pytest.raises(SessionUnknown):
        events_across(caller=porter, target="ledger", session=session.pk, user="alice", limit=9)
    with reading(caller=porter, owner=session.owner, act="test"):
        assert not Event.objects.filter(session=session).exists()
        assert not Session.objects.filter(pk=session.pk).exists()


def test_the_reader_sees_one_owner_and_writes_nothing(porter, ledger, reader):
    make_ended_session(ledger, ["the gate key hangs in the shed"], user="alice")
    bob = resolve_owner(agent=ledger, user="bob")
    refused = [
        "update memory_chunk set text = 'x'",
        "delete from memory_event",
        "insert into memory_term values (1, 0, 1, 1)",
        "select * from memory_lanewindow",
        "select * from accounts_apikey",
        "select * from recall_receipt",
    ]

    with reading(caller=porter, owner=bob, act="test"):
        assert not Chunk.objects.exists()
        for text in refused:
            with pytest.raises(DatabaseError), transaction.atomic():
                ask(text)


def test_without_a_named_owner_the_reader_sees_nothing(ledger, reader):
    make_ended_session(ledger, ["the gate key hangs in the shed"])
    with transaction.atomic():
        execute("set local role {role}", role=reader)
        seen = [Chunk.objects.exists(), Event.objects.exists(), Session.objects.exists()]
        execute("set local role none")

    assert seen == [False, False, False]


def test_after_a_failure_the_connection_is_the_application_s_again(porter, ledger, reader):
    owner = resolve_owner(agent=ledger, user="alice")
    before = ask("select current_user")

    with pytest.raises(DatabaseError), reading(caller=porter, owner=owner, act="test"):
        ask("select 1 / 0")

    assert ask("select current_user") == before
    assert ask("select current_setting('recollect.owner')") == [("",)]


def test_without_the_reader_the_read_is_still_read_only(porter, ledger):
    ended = own_session(ledger, "the gate key hangs in the shed")

    assert not ready_role(Role.READER)
    assert texts(porter) == ["the gate key hangs in the shed"]
    with (
        reading(caller=porter, owner=ended.owner, act="test"),
        pytest.raises(DatabaseError, match="read-only"),
        transaction.atomic(),
    ):
        Chunk.objects.all().delete()
    assert Chunk.objects.exists()
