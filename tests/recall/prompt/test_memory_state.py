import pytest

from recall.prompt.sources.governance import MOST_GOALS, memory_state, state_of
from recall.prompt.sources.profile import ProfilePicture, Structured
from tests.conftest import client_of
from tests.factories import make_agent
from tests.recall.learned import owner_of
from tests.recall.pictures import W, picture, sure


def goals_of(data) -> list[tuple[str, object]]:
    return [
        (goal.path, goal.value)
        for goal in state_of(ProfilePicture(scaffold=Structured(data=data))).goals
    ]


@pytest.mark.requirement("TS-75")
def test_goals_come_from_s_and_the_current_context_from_w(porter):
    alice = owner_of(porter)
    picture(alice)
    sure(alice, "/Goals", 0.8)

    state = memory_state(alice)

    assert [(goal.path, goal.value, goal.confidence) for goal in state.goals] == [
        ("/Goals/year", "open a bakery", 0.8)
    ]
    assert state.current_context == W
    assert (state.scaffold_version, state.narrative_version) == (5, 3)


def test_goals_are_found_at_any_level_whatever_the_key_is_called():
    data = {
        "Work": {"career_goals": ["lead a team", "write"], "Team": [{"Objectives 2026": "grow"}]},
        "Ziele": {"a/b": {"c": 1}},
        "Goalkeeper": "bob",
        "Role": "baker",
        "goal": "",
        "Tags": ["one", "two"],
    }

    assert goals_of(data) == [
        ("/Work/career_goals/0", "lead a team"),
        ("/Work/career_goals/1", "write"),
        ("/Work/Team/0/Objectives 2026", "grow"),
        ("/Ziele/a~1b/c", 1),
    ]


def test_goals_are_bounded():
    assert len(goals_of({"goals": [f"goal {n}" for n in range(500)]})) == MOST_GOALS


def test_a_user_nobody_learned_of_has_neither(porter):
    state = memory_state(owner_of(porter))

    assert (state.goals, state.current_context) == ([], "")


@pytest.mark.requirement("TS-75")
def test_the_api_shows_the_state_to_the_users_own_agent_alone(api, rival_api, porter):
    picture(owner_of(porter))
    url = "/api/v1/users/alice/memory-state"

    assert api.get(url).json() == {
        "goals": [{"path": "/Goals/year", "value": "open a bakery", "confidence": None}],
        "current_context": W,
        "scaffold_version": 5,
        "narrative_version": 3,
    }
    nothing = {
        "goals": [],
        "current_context": "",
        "scaffold_version": 0,
        "narrative_version": 0,
    }
    assert rival_api.get(url).json() == nothing
    assert client_of(make_agent("other")).get(url).json() == nothing
    assert api.get("/api/v1/users/bob/memory-state").json() == nothing
