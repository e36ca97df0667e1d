"""No sealed record reaches a prompt or a search, and no toggle reaches a sealed record."""

import tomllib

import orjson
import pytest
from django.apps import apps
from django.db import connection

from crisis.models import CrisisRecord
from feedback.models import FeedbackRecord
from tests.factories import run_jobs
from tests.test_architecture import ROOT

URL = "/api/v1/sessions"
CANARIES = ("canary_kind", "canary_style", "canary_tool", "canary_trace")
REPORT = {
    "level": 3,
    "classifier_path": "llm_primary",
    "override_kind": "canary_kind",
    "response_style": "canary_style",
    "tool_calls": ["canary_tool"],
    "trace_id": "canary_trace",
}


def talk(api, user="alice", words="we planted tomatoes"):
    place = f"{URL}/{api.post(URL, {'user': user}, format='json').json()['id']}"
    said = [{"role": "user", "content": words}, {"role": "assistant", "content": "Good."}]
    api.post(f"{place}/events", {"messages": said}, format="json")
    return place


@pytest.mark.requirement("OC-60")
def test_a_canary_in_every_field_is_in_no_prompt_and_in_no_result(api):
    place = talk(api)
    assert api.post(f"{place}/crisis", REPORT, format="json").status_code == 201
    api.post(f"{place}/end", {"feedback": "negative"}, format="json")
    run_jobs()
    record = CrisisRecord.objects.get()
    marks = (*CANARIES, record.session_opaque, record.person_opaque, str(record.pk))

    found = [api.get(place).json(), api.get(URL).json()]
    for query in ("tomatoes", "imminent negative crisis", "kind style tool trace"):
        asked = {"query": query, "user": "alice"}
        found.append(api.post("/api/v1/recall", asked, format="json").json())
        found.append(api.post(f"{talk(api, words=query)}/context", {}, format="json").json())

    told = orjson.dumps(found).decode()
    assert "tomatoes" in told
    assert [mark for mark in marks if mark in told] == []


@pytest.mark.requirement("OC-57")
@pytest.mark.requirement("OC-58")
@pytest.mark.requirement("OC-60")
def test_no_table_of_memory_holds_a_canary(api):
    place = talk(api)
    api.post(f"{place}/crisis", REPORT, format="json")
    api.post(f"{place}/end", {"feedback": "negative"}, format="json")
    run_jobs()

    holders = set()
    for model in apps.get_models():
        table = model._meta.db_table
        with connection.cursor() as cursor:
            cursor.execute(f"select string_agg(found::text, ' ') from {table} found")
            (text,) = cursor.fetchone()
        if "canary_" in (text or ""):
            holders.add(table)
    assert holders == {"crisis_crisisrecord"}


@pytest.mark.requirement("OC-57")
@pytest.mark.requirement("OC-58")
@pytest.mark.requirement("OC-60")
def test_no_model_leads_to_a_sealed_one_or_from_it():
    for model in apps.get_models():
        sealed = model._meta.app_label in {"crisis", "feedback"}
        fields = model._meta.get_fields(include_hidden=True)
        others = [str(field.related_model) for field in fields if field.related_model]
        assert not (sealed and others)
        assert not any("CrisisRecord" in one or "FeedbackRecord" in one for one in others)


@pytest.mark.requirement("OC-60")
def test_the_contract_forbids_the_import():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]

    found = [one for one in contracts["contracts"] if "never reach a prompt" in one["name"]]
    assert set(found[0]["forbidden_modules"]) == {"crisis", "feedback"}
    assert {"consolidation", "recall", "extraction", "providers", "knowledge", "memory"} == set(
        found[0]["source_modules"]
    )
    assert "allow_indirect_imports" not in found[0]


@pytest.mark.requirement("OC-61")
@pytest.mark.parametrize("enabled", [True, False])
def test_the_recall_toggle_changes_nothing(api, enabled):
    place = talk(api)
    toggle = {"user": "alice", "enabled": enabled}
    assert api.patch("/api/v1/memory/recall", toggle, format="json").status_code == 200

    assert api.post(f"{place}/crisis", REPORT, format="json").status_code == 201
    assert api.post(f"{place}/end", {"feedback": "skip"}, format="json").status_code == 200

    assert (CrisisRecord.objects.count(), FeedbackRecord.objects.count()) == (1, 1)
