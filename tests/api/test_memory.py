from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import AuditEntry
from consolidation.models import Job
from knowledge.models import Arc, Fact, ProceduralProfile, Rule
from tests.conftest import client_of
from tests.consolidation.candidates import fact as candidate
from tests.consolidation.candidates import hold
from tests.contracts.stores import arc, fact, rule
from tests.factories import make_agent, make_ended_session, make_session
from tests.recall.learned import keep, owner_of

URL = "/api/v1/memory"
BOSS, BOSS_ARC, BRIEF = fact("my boss is terrible"), arc("Talked of the boss."), rule("Be brief.")
ITEMS = [
    ("facts", BOSS, {"object": "the new work"}),
    ("sessions", BOSS_ARC, {"summary": "Talked of work.", "themes": ["work"]}),
    ("rules", BRIEF, {"text": "Answer in one line."}),
]


@pytest.fixture
def alice(porter):
    owner = owner_of(porter)
    keep(owner, BOSS, BOSS_ARC, BRIEF)
    return owner


def status(api, **query) -> dict:
    return api.get(f"{URL}/status", query or {"user": "alice"}).json()


def listed(api, layer, **query) -> list[dict]:
    return api.get(f"{URL}/{layer}", {"user": "alice", **query}).json()["results"]


def address(layer, record, user="alice") -> str:
    return f"{URL}/{layer}/{record.key}?user={user}"


@pytest.mark.requirement("OC-68")
def test_the_status_counts_each_layer(api, alice):
    keep(alice, fact("dormant", superseded_by="eviction"), fact("another"))

    assert status(api) == {
        "mode": "local",
        "owner": {"kind": "user", "key": "alice"},
        "counts": {"semantic": 2, "episodic": 1, "procedural": 1},
        "proactive_recall": False,
        "shared": True,
        "crisis_log_count": 0,
        "session_feedback_count": 0,
    }


def test_the_status_of_a_person_never_met_is_empty_and_makes_no_one_known(api, alice):
    found = status(api, user="bob")

    assert found["owner"] is None
    assert found["counts"] == {"semantic": 0, "episodic": 0, "procedural": 0}
    assert status(api, user="bob") == found


def test_a_session_names_its_owner_too(api, alice):
    session = make_session(alice.agent)

    assert status(api, session=str(session.pk)) == status(api)


def test_it_must_be_said_whose_memory_is_meant(api, alice):
    answers = [
        api.get(f"{URL}/status"),
        api.get(f"{URL}/facts"),
        api.get(f"{URL}/facts/{BOSS.key}"),
        api.delete(f"{URL}/facts/{BOSS.key}"),
        api.patch(f"{URL}/recall", {"enabled": True}, format="json"),
        api.patch(f"{URL}/sharing", {"enabled": True}, format="json"),
        api.post(f"{URL}/forget", {"query": "boss"}, format="json"),
    ]

    assert {(one.status_code, one.json()["code"]) for one in answers} == {(422, "owner_required")}


@pytest.mark.requirement("OC-72")
def test_recall_is_off_until_it_is_switched_on(api, alice):
    assert status(api)["proactive_recall"] is False

    answer = api.patch(f"{URL}/recall", {"user": "alice", "enabled": True}, format="json")

    assert (answer.status_code, answer.json()) == (200, {"proactive_recall": True})
    assert status(api)["proactive_recall"] is True
    api.patch(f"{URL}/recall", {"user": "alice", "enabled": False}, format="json")
    assert status(api)["proactive_recall"] is False


def test_recall_can_be_switched_for_a_person_not_met_yet(api, porter):
    answer = api.patch(f"{URL}/recall", {"user": "bob", "enabled": True}, format="json")

    assert answer.status_code == 200
    assert ProceduralProfile.objects.get(owner=owner_of(porter, "bob")).proactive_recall_enabled


def test_what_others_may_read_is_switched_off_and_on(api, alice, rival_api):
    other = client_of(make_agent("ledger"))
    make_ended_session(alice.agent, ["My boss is terrible."])
    asked = {"query": "boss", "user": "alice", "target_agent": "porter"}

    def found() -> int:
        answer = other.post("/api/v1/recall", asked, format="json")
        return len(answer.json()["results"])

    def switch(client, **body):
        return client.patch(f"{URL}/sharing", {"user": "alice", **body}, format="json")

    assert (found(), status(api)["shared"]) == (1, True)
    off = switch(api, enabled=False)
    assert (off.status_code, off.json()) == (200, {"shared": False})
    assert (found(), status(api)["shared"]) == (0, False)
    # Another organization's alice is somebody else.
    assert switch(rival_api, enabled=True).status_code == 200
    wrong: tuple[object, ...] = ("no", None, [])
    assert [switch(api, enabled=one).status_code for one in wrong] == [422] * 3
    assert switch(api).status_code == 422
    assert found() == 0
    switch(api, enabled=True)
    assert (found(), status(api)["shared"]) == (1, True)


@pytest.mark.requirement("OC-71")
@pytest.mark.parametrize(("layer", "record", "change"), ITEMS)
def test_an_item_is_listed_shown_changed_and_deleted(api, alice, layer, record, change):
    (one,) = listed(api, layer)
    read = api.get(address(layer, record))

    assert one["id"] == str(record.key)
    assert (read.status_code, read.json(), read["ETag"]) == (200, one, '"1"')

    edited = api.patch(address(layer, record), change, format="json", HTTP_IF_MATCH='"1"')

    assert (edited.status_code, edited["ETag"]) == (200, '"2"')
    assert edited.json() | change == edited.json() == listed(api, layer)[0]

    assert api.delete(address(layer, record), HTTP_IF_MATCH='"2"').status_code == 204
    assert listed(api, layer, state="all") == []
    assert api.get(address(layer, record)).status_code == 404


@pytest.mark.requirement("OC-71")
@pytest.mark.parametrize(("layer", "record", "change"), ITEMS)
def test_nobody_reaches_what_is_another_s(api, rival_api, alice, layer, record, change):
    for client, user in ((rival_api, "alice"), (api, "bob")):
        where = address(layer, record, user)
        assert client.get(f"{URL}/{layer}?user={user}").json()["results"] == []
        assert client.get(where).status_code == 404
        assert client.patch(where, change, format="json", HTTP_IF_MATCH='"1"').status_code == 404
        assert client.delete(where).status_code == 404
    owner_of(alice.agent, "bob")
    assert api.delete(address(layer, record, "bob")).status_code == 404
    assert len(listed(api, layer)) == 1


def test_a_change_names_the_version_it_was_decided_on(api, alice):
    where = address("facts", BOSS)

    without = api.patch(where, {"object": "x"}, format="json")
    late = api.patch(where, {"object": "x"}, format="json", HTTP_IF_MATCH='"7"')
    gone = api.delete(where, HTTP_IF_MATCH='"7"')

    assert (without.status_code, without.json()["code"]) == (422, "invalid")
    assert (late.status_code, late.json()["code"]) == (412, "item_changed")
    assert gone.status_code == 412
    assert Fact.objects.get().object == "work"


def test_a_value_that_cannot_be_is_refused(api, alice):
    for change in (
        {"category": "weather"},
        {"object": "x" * 201},
        {"object": ""},
        {"predicate": "LIKES"},
        {"is_pinned": "yes"},
    ):
        answer = api.patch(address("facts", BOSS), change, format="json", HTTP_IF_MATCH='"1"')
        assert answer.status_code == 422
    assert Fact.objects.get().version == 1


def test_a_change_of_nothing_that_can_be_changed_is_refused(api, alice):
    for change in ({}, {"evidence_quote": "I like tea."}, {"source_class": "operator"}):
        answer = api.patch(address("facts", BOSS), change, format="json", HTTP_IF_MATCH='"1"')
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert Fact.objects.get().version == 1


def test_a_changed_fact_gets_another_vector_and_is_found_by_its_new_words(api, alice):
    api.patch(address("facts", BOSS), {"object": "sailing"}, format="json", HTTP_IF_MATCH='"1"')

    assert Job.objects.filter(kind="embed_learned").exists()
    found = api.post(f"{URL}/forget", {"user": "alice", "query": "sailing"}, format="json")
    assert [one["id"] for one in found.json()["would_forget"]] == [str(BOSS.key)]


def test_a_list_is_paged_newest_first_and_hides_what_no_longer_counts(api, porter):
    owner = owner_of(porter)
    keep(owner, *[fact(f"fact {number}") for number in range(3)])
    keep(owner, fact("old", superseded_by="eviction"))

    first = api.get(f"{URL}/facts?user=alice&limit=2").json()
    rest = api.get(f"{URL}/facts?user=alice&limit=2&after={first['next']}").json()

    ids = [one["id"] for one in first["results"] + rest["results"]]
    assert ids == sorted(ids, reverse=True)
    assert (len(ids), rest["next"]) == (3, None)
    assert len(listed(api, "facts", state="all")) == 4


def test_a_list_asks_the_database_once_however_long_it_is(api, porter):
    counts = []
    for number in range(4):
        keep(owner_of(porter), fact(f"fact {number}"))
        with CaptureQueriesContext(connection) as queries:
            listed(api, "facts")
        counts.append(len(queries))

    assert len(set(counts[1:])) == 1


def test_every_change_is_recorded_without_a_word_of_it(api, alice):
    api.patch(address("facts", BOSS), {"object": "sailing"}, format="json", HTTP_IF_MATCH='"1"')
    api.delete(address("rules", BRIEF))

    entries = AuditEntry.objects.filter(action__startswith="memory.")
    assert [entry.action for entry in entries.order_by("pk")] == [
        "memory.edit_fact",
        "memory.delete_rule",
    ]
    assert "sailing" not in str(list(entries.values()))


def test_forgetting_by_a_query_shows_first_and_deletes_what_is_confirmed(api, alice):
    keep(alice, fact("the boss of old", superseded_by="eviction"), fact("my sister sings"))

    preview = api.post(f"{URL}/forget", {"user": "alice", "query": "the boss"}, format="json")
    found = preview.json()["would_forget"]

    assert [one["layer"] for one in found] == ["facts", "facts", "sessions"]
    assert found[1]["evidence_quote"] == "my boss is terrible"
    assert (Fact.objects.count(), Arc.objects.count()) == (3, 1)

    confirm = [{name: one[name] for name in ("layer", "id", "version")} for one in found]
    done = api.post(f"{URL}/forget", {"user": "alice", "confirm": confirm}, format="json")
    again = api.post(f"{URL}/forget", {"user": "alice", "confirm": confirm}, format="json")

    named = [{"layer": one["layer"], "id": one["id"]} for one in found]
    assert done.json() == {"forgotten": named, "missing": []}
    assert again.json() == {"forgotten": [], "missing": named}
    assert [row.evidence_quote for row in Fact.objects.all()] == ["my sister sings"]
    assert (Arc.objects.count(), Rule.objects.count()) == (0, 1)


def test_a_deletion_takes_what_waits_to_say_the_same(api, alice):
    session = make_session(alice.agent)
    again = replace(
        candidate("work", "my boss is terrible"),
        category="relationship",
        subject="User",
        predicate="WORRIES_ABOUT",
        object_type="Concern",
    )
    (held,) = hold(session, again)

    api.delete(address("facts", BOSS))

    held.refresh_from_db()
    assert (held.payload, held.state) == ({}, "skipped")


def test_what_was_changed_since_the_preview_is_not_forgotten_and_nothing_else_is(api, alice):
    confirm = [
        {"layer": "rules", "id": str(BRIEF.key), "version": 1},
        {"layer": "facts", "id": str(BOSS.key), "version": 2},
    ]

    answer = api.post(f"{URL}/forget", {"user": "alice", "confirm": confirm}, format="json")

    assert (answer.status_code, answer.json()["code"]) == (412, "item_changed")
    assert (Rule.objects.count(), Fact.objects.count()) == (1, 1)


def test_forgetting_asks_for_one_thing_at_a_time(api, alice):
    bodies: list[dict[str, object]] = [
        {},
        {"query": "boss", "dry_run": False},
        {"query": "boss", "confirm": [{"layer": "facts", "id": str(BOSS.key), "version": 1}]},
        {"confirm": []},
    ]
    for body in bodies:
        answer = api.post(f"{URL}/forget", {"user": "alice", **body}, format="json")
        assert answer.status_code == 422
    assert Fact.objects.count() == 1


def test_forgetting_for_a_person_never_met_finds_nothing(api, alice):
    confirm = [{"layer": "facts", "id": str(BOSS.key), "version": 1}]

    shown = api.post(f"{URL}/forget", {"user": "bob", "query": "boss"}, format="json")
    done = api.post(f"{URL}/forget", {"user": "bob", "confirm": confirm}, format="json")

    assert shown.json() == {"would_forget": []}
    assert done.json()["forgotten"] == []
    assert Fact.objects.count() == 1
