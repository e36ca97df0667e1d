"""POST /sessions/{id}/crisis."""

import logging
from uuid import uuid4

import pytest
from django.db import connection

from accounts.moments import iso_utc
from accounts.pseudonyms import session_pseudonym
from accounts.sealed.keeping import waiting
from crisis.log import STORED, count_crises
from crisis.models import CrisisDay, CrisisRecord
from knowledge.models import Arc
from memory.models import Session
from tests.accounts.acting import ask
from tests.factories import run_jobs

URL = "/api/v1/sessions"
FULL = {
    "level": 3,
    "classifier_path": "llm_primary",
    "override_kind": "keyword",
    "reason": "explicit ideation with plan",
    "response_node_completed": True,
    "llm_failure_occurred": False,
    "response_style": "warm",
    "resource_lookup_status": "found",
    "resource_count": 2,
    "tool_calls": ["find_hotline"],
    "response_path": "sdk",
    "fallback_reason": "timeout",
    "trace_id": "4bf92f3577b34da6",
}
LEAST = {"level": 2, "classifier_path": "llm_primary"}


@pytest.fixture
def session(api) -> str:
    """Return the address of alice's open session."""
    return f"{URL}/{api.post(URL, {'user': 'alice'}, format='json').json()['id']}"


def report(api, session, **fields):
    return api.post(f"{session}/crisis", LEAST | fields, format="json")


def rename(table: str, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"alter table {table} rename to {name}")


@pytest.mark.requirement("OC-57")
@pytest.mark.requirement("OC-62")
def test_a_record_has_pseudonyms_a_level_and_codes_and_no_id(api, session):
    assert report(api, session, **FULL).status_code == 201

    record = CrisisRecord.objects.get()
    owner = Session.objects.get().owner
    assert {name: getattr(record, name) for name in FULL} == FULL
    assert record.session_opaque == session_pseudonym(Session.objects.get().pk)
    assert (len(record.session_opaque), len(record.person_opaque)) == (64, 64)
    ((row,),) = ask("select row_to_json(found)::text from crisis_crisisrecord found")
    assert session.rpartition("/")[2] not in row
    assert "alice" not in row
    assert f'"{owner.pk}"' not in row


@pytest.mark.requirement("OC-62")
def test_a_reason_of_600_characters_is_cut_and_not_refused(api, session):
    assert report(api, session, reason="ideation " * 70).status_code == 201
    assert report(api, session, fallback_reason="timeout " * 70).status_code == 201

    kept = ask("select reason, fallback_reason from crisis_crisisrecord order by at")
    assert kept == [(("ideation " * 70)[:500], ""), ("", ("timeout " * 70)[:200])]


@pytest.mark.requirement("OC-62")
def test_a_reason_that_quotes_the_person_is_kept_without_their_words(api, session):
    report(api, session, reason="Explicit ideation: 'I bought the marzipan gun', with PLAN.")

    assert CrisisRecord.objects.get().reason == "explicit ideation … the … with plan"


def test_an_id_is_recorded_once_and_is_nobody_else_s(api, session, rival_api):
    given = str(uuid4())
    other = f"{URL}/{api.post(URL, {'user': 'bob'}, format='json').json()['id']}"

    answers = [report(api, session, id=given), report(api, session, id=given, level=0)]
    elsewhere = report(api, other, id=given)

    assert [answer.status_code for answer in (*answers, elsewhere)] == [201, 200, 201]
    assert [answer.json()["outcome"] for answer in answers] == ["recorded", "repeated"]
    assert sorted(CrisisRecord.objects.values_list("level", flat=True)) == [2, 2]
    assert not CrisisRecord.objects.filter(pk=given).exists()
    assert sum(CrisisDay.objects.values_list("count", flat=True)) == 2
    assert report(rival_api, session).status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": 4},
        {"level": -1},
        {"level": "2"},
        {"classifier_path": "guess"},
        {"resource_lookup_status": "lost"},
        {"response_path": "none"},
        {"override_kind": "what she said"},
        {"tool_calls": ["a sentence of hers"]},
        {"trace_id": "x" * 61},
        {"response_style": 7},
    ],
)
def test_what_is_no_code_is_refused(api, session, wrong):
    assert report(api, session, **wrong).status_code == 422
    assert not CrisisRecord.objects.exists()


@pytest.mark.requirement("OC-65")
def test_a_write_that_fails_breaks_nothing_and_is_seen(api, session, caplog):
    rename("crisis_crisisrecord", "gone")

    with caplog.at_level(logging.ERROR):
        answer = report(api, session, id=str(uuid4()))

    assert (answer.status_code, answer.json()) == (202, {"outcome": "waiting"})
    assert "a record of crisis is not written yet: ProgrammingError" in caplog.text
    metrics = api.get("/metrics").content.decode()
    assert 'recollect_sealed_writes_total{ledger="crisis",outcome="waiting"}' in metrics
    assert len(waiting) == 1

    assert waiting.try_again() == 1
    rename("gone", "crisis_crisisrecord")
    assert waiting.try_again() == 0
    assert STORED.count() == 1


def test_a_session_that_has_ended_may_still_be_reported(api, session):
    api.post(f"{session}/end", {}, format="json")

    assert report(api, session).status_code == 201


@pytest.mark.requirement("OC-59")
@pytest.mark.parametrize("mode", ["local", "synced"])
def test_it_is_written_in_every_stored_mode(api, mode):
    made = api.post(URL, {"user": "alice", "mode": mode}, format="json").json()["id"]

    assert report(api, f"{URL}/{made}").status_code == 201
    answer = api.post(f"{URL}/{made}/end", {"feedback": "skip"}, format="json")
    assert answer.status_code == 200
    assert ask("select count(*) from feedback_feedbackrecord") == [(1,)]


@pytest.mark.requirement("OC-70")
def test_a_person_s_own_are_counted_and_no_one_else_s(api, session):
    bob = f"{URL}/{api.post(URL, {'user': 'bob'}, format='json').json()['id']}"
    thread = f"{URL}/{api.post(URL, {'external_id': 't'}, format='json').json()['id']}"
    for place in (session, session, bob, thread):
        report(api, place)

    owners = {found.owner.key: found.owner for found in Session.objects.select_related("owner")}
    counts = {key: count_crises(owner=owner) for key, owner in owners.items()}
    assert counts == {"alice": 2, "bob": 1, "t": 0}
    assert CrisisRecord.objects.filter(person_opaque=None).count() == 1


@pytest.mark.requirement("OC-70")
def test_the_status_tells_a_person_s_own_numbers(api, rival_api, session):
    report(api, session)
    api.post(f"{session}/end", {"feedback": "skip"}, format="json")

    numbers = []
    for client, user in ((api, "alice"), (api, "bob"), (rival_api, "alice")):
        found = client.get(f"/api/v1/memory/status?user={user}").json()
        numbers.append((found["crisis_log_count"], found["session_feedback_count"]))
    assert numbers == [(1, 1), (0, 0), (0, 0)]


@pytest.mark.requirement("OC-86")
def test_ids_are_hashed_by_one_helper_and_times_have_one_form(api, session):
    report(api, session)
    api.post(f"{session}/end", {"feedback": "positive"}, format="json")

    ((crisis,),) = ask("select session_opaque from crisis_crisisrecord")
    ((label,),) = ask("select session_opaque from feedback_feedbackrecord")
    assert crisis == label == session_pseudonym(Session.objects.get().pk)
    assert session_pseudonym(None) != crisis
    assert iso_utc(CrisisRecord.objects.get().at)[-1] == "Z"
    with pytest.raises(ValueError, match="zone"):
        iso_utc(CrisisRecord.objects.get().at.replace(tzinfo=None))


@pytest.mark.requirement("OC-43")
def test_the_arc_of_a_session_keeps_the_highest_level_and_no_prompt_does(api, session, porter):
    talk = ["We planted tomatoes behind the shed.", "The soil was dry and sad.", "I bought seeds."]
    for text in talk:
        turn = [{"role": "user", "content": text}, {"role": "assistant", "content": "I see."}]
        api.post(f"{session}/events", {"messages": turn}, format="json")
    for level in (1, 3, 2):
        assert report(api, session, level=level).status_code == 201
    api.post(f"{session}/end", {}, format="json")
    run_jobs()

    assert Arc.objects.get().crisis_level_max == 3
    following = api.post(URL, {"user": "alice"}, format="json").json()["id"]
    hello = {"messages": [{"role": "user", "content": "How are the tomatoes?"}]}
    api.post(f"{URL}/{following}/events", hello, format="json")
    prompt = api.post(f"{URL}/{following}/context", {}, format="json").content.decode()
    assert "tomatoes" in prompt
    assert "crisis" not in prompt
