"""The tools by which a model observes its user."""

import json

import pytest

from accounts.models import Connection
from consolidation.models import ContextEvent
from tests.api.test_observations import ROOM
from tests.factories import make_agent, make_session, run_jobs

URL = "/api/v1/tools"


def use(client, tool, arguments, session=None, key=None):
    body = {"arguments": arguments, **({"session": str(session)} if session else {})}
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(f"{URL}/context_tool_{tool}", body, format="json", headers=headers)


def prompt_of(client, session, **body):
    return client.post(f"/api/v1/sessions/{session.pk}/context", body, format="json").json()


def names(tools) -> list[str]:
    return [tool["function"]["name"] for tool in tools]


@pytest.mark.requirement("TS-10")
def test_every_chat_turn_offers_to_observe(api, porter):
    session = make_session(porter)

    for query in ("hello", "again"):
        tools = prompt_of(api, session, query=query)["tools"]
        assert "context_tool_record_observation" in names(tools)


@pytest.mark.requirement("TS-66")
def test_a_turn_names_the_active_connections_that_a_model_may_learn_of(api, porter):
    session = make_session(porter)
    tracker = Connection.objects.create(owner=session.owner, tool="tracker", name="work")
    mail = Connection.objects.create(owner=session.owner, tool="mail", is_active=False)
    Connection.objects.create(owner=make_session(porter, "bob").owner, tool="tracker")

    def named(**fields) -> list[str]:
        tools = prompt_of(api, session, **fields)["tools"]
        ours = [tool["function"] for tool in tools if "update_connection" in str(tool)]
        return ours[0]["parameters"]["properties"]["connection"]["enum"] if ours else []

    offered = ["context_tool_record_observation", "context_tool_update_connection_context"]
    assert names(prompt_of(api, session)["tools"]) == offered
    assert named() == [str(tracker.pk)]
    assert named(active_connections=[str(mail.pk)]) == [str(mail.pk)]
    assert named(active_connections=[]) == []


def test_it_is_offered_nowhere_else(api, porter):
    session = make_session(porter)
    assert prompt_of(api, session, lane="core")["tools"] == []
    assert prompt_of(api, session, max_tokens=1_999)["tools"] == []

    porter.keeps_profile = False
    porter.save()
    assert prompt_of(api, session)["tools"] == []


def test_an_agents_own_tool_of_the_name_stands(api, porter):
    own = {
        "type": "function",
        "function": {"name": "context_tool_record_observation", "parameters": {}},
    }
    porter.tools = [own]
    porter.save()

    assert prompt_of(api, make_session(porter))["tools"] == [own]


@pytest.mark.requirement("TS-10")
def test_what_it_offers_counts_in_the_prompt(api, porter):
    session = make_session(porter)
    with_tool = prompt_of(api, session)["tokens"]
    porter.keeps_profile = False
    porter.save()

    assert with_tool > prompt_of(api, session)["tokens"] + 50


@pytest.mark.requirement("TS-12")
def test_a_model_notes_what_it_has_noticed(api, porter):
    session = make_session(porter)

    answer = use(
        api, "record_observation", {"content": "Bakes.", "category": "fact"}, session=session.pk
    )

    assert answer.status_code == 200
    found = ContextEvent.objects.get()
    assert answer.json() == {"recorded": True, "id": str(found.pk)}
    assert (found.event_type, found.content, found.processed) == ("fact", "Bakes.", False)
    assert found.source_metadata == {"source": "interactive", "session_id": str(session.pk)}
    assert found.owner == session.owner


@pytest.mark.requirement("TS-11")
def test_a_model_is_told_of_a_category_that_there_is_not(api, porter):
    arguments = {"content": "Bakes.", "category": "gossip"}

    answer = use(api, "record_observation", arguments, session=make_session(porter).pk)

    assert answer.json()["code"] == "category_unknown"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("record_observation", {"content": "Bakes.", "category": "fact"}),
        ("update_user_context", {"persistent_info_additions": ["Bakes."]}),
        ("update_connection_context", {"connection": ROOM, "learned_info": {}}),
    ],
)
def test_a_call_is_of_a_session_and_keeps_nothing_incognito(api, tool, arguments):
    assert use(api, tool, arguments).json()["code"] == "session_id_required"

    answer = use(api, tool, arguments, session=ROOM)

    assert answer.json() == {"recorded": False, "reason": "incognito"}
    assert not ContextEvent.objects.exists()


def test_other_tools_still_know_no_incognito_session(api):
    answer = api.post(
        f"{URL}/choir.memory.compact", {"arguments": {}, "session": ROOM}, format="json"
    )

    assert answer.status_code == 404


@pytest.mark.requirement("TS-14")
@pytest.mark.requirement("TS-15")
def test_each_part_of_an_update_is_an_observation(api, porter):
    session = make_session(porter)
    arguments = {
        "scaffold_updates": {"Role": "Baker", "Goals": {"b": 1, "a": None}},
        "persistent_info_additions": ["Rises at four.", "Has an oven."],
    }

    answer = use(api, "update_user_context", arguments, session=session.pk, key="k")
    again = use(api, "update_user_context", arguments, session=session.pk, key="k")

    rows = list(ContextEvent.objects.order_by("pk"))
    assert answer.json()["ids"] == again.json()["ids"] == [str(row.pk) for row in rows]
    assert [(row.event_type, row.content) for row in rows] == [
        ("scaffold_update", '{"Role":"Baker"}'),
        ("scaffold_update", '{"Goals":{"a":null,"b":1}}'),
        ("learned_fact", "Rises at four."),
        ("learned_fact", "Has an oven."),
    ]
    assert {row.source_metadata["source"] for row in rows} == {"interactive"}


def test_an_update_is_written_whole_or_not_at_all(api, porter):
    arguments = {
        "scaffold_updates": {"Role": "x" * 4_001},
        "persistent_info_additions": ["Bakes."],
    }

    answer = use(api, "update_user_context", arguments, session=make_session(porter).pk)

    assert answer.json()["code"] == "observation_unfit"
    assert not ContextEvent.objects.exists()


def test_an_update_has_at_most_fifty_keys(api, porter):
    arguments = {"scaffold_updates": {str(number): 1 for number in range(51)}}

    answer = use(api, "update_user_context", arguments, session=make_session(porter).pk)

    assert answer.status_code == 422


@pytest.mark.requirement("TS-66")
def test_a_model_keeps_what_it_has_learned_of_a_connection(api, porter):
    session = make_session(porter)
    tool = Connection.objects.create(
        owner=session.owner, tool="tracker", persistent_learned_info={"a": {"b": 1}, "c": 2}
    )
    arguments = {"connection": str(tool.pk), "learned_info": {"a": {"d": 3}, "c": None}}

    answer = use(api, "update_connection_context", json.dumps(arguments), session=session.pk)

    assert answer.json() == {"recorded": True, "id": str(tool.pk), "version": 2}
    tool.refresh_from_db()
    assert tool.persistent_learned_info == {"a": {"b": 1, "d": 3}}


def test_a_model_reaches_no_connection_of_anyone_else(api, porter):
    other = make_session(make_agent("other"), user="alice")
    theirs = Connection.objects.create(owner=other.owner, tool="tracker")
    bobs = Connection.objects.create(owner=make_session(porter, "bob").owner, tool="tracker")
    run_jobs()

    for tool in (theirs, bobs):
        arguments = {"connection": str(tool.pk), "learned_info": {"a": 1}}
        answer = use(api, "update_connection_context", arguments, session=make_session(porter).pk)
        assert answer.status_code == 404
        tool.refresh_from_db()
        assert tool.persistent_learned_info == {}


def test_outside_of_a_session_a_user_may_be_named(api, porter):
    body = {"arguments": {"content": "Bakes.", "category": "fact"}, "user": "alice"}

    answer = api.post(f"{URL}/context_tool_record_observation", body, format="json")

    assert answer.json()["recorded"]
    event = ContextEvent.objects.get()
    assert (event.owner.key, event.source_metadata) == ("alice", {"source": "interactive"})
