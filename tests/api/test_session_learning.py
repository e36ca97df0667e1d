"""How a session's learning stands, for its agent."""

import pytest

from tests.consolidation.candidates import fact, hold
from tests.factories import make_session, run_jobs

MARATHON = fact("Berlin marathon", "I ran the Berlin marathon in May.")
NOTHING = {"writes": 0, "bumps": 0, "supersedes": 0, "waiting": 0, "skips": 0, "failures": 0}


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.mark.requirement("OC-88")
def test_the_counters_of_both_kinds_are_shown_once_it_has_ended(api, porter):
    session = make_session(porter)
    address = f"/api/v1/sessions/{session.pk}"
    hold(session, MARATHON)
    before = api.get(address).json()["learning"]

    api.post(f"{address}/end", {}, format="json")
    run_jobs()

    after = api.get(address).json()["learning"]
    assert before == {
        "runs": {"semantic": {}, "procedural": {}},
        "candidates": {"semantic": {"held": 1}, "procedural": {}},
        "ending": None,
    }
    assert after["candidates"] == {"semantic": {"skipped": 1}, "procedural": {}}
    assert after["ending"] == {
        "semantic": NOTHING | {"skips": 1},
        "procedural": NOTHING,
        "support_load_failed": False,
    }


def test_the_turns_learned_from_are_counted(api, porter):
    address = f"/api/v1/sessions/{make_session(porter).pk}"
    said = [{"role": "user", "content": MARATHON.quote}, {"role": "assistant", "content": "Oh!"}]
    api.post(f"{address}/events", {"messages": said}, format="json")
    run_jobs()

    runs = api.get(address).json()["learning"]["runs"]

    assert runs == {"semantic": {"done": 1}, "procedural": {"done": 1}}
