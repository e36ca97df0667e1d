import pytest

from accounts.identity import fixed_texts
from tests.factories import make_agent

SKILL = {"name": "baking", "description": "bakes bread", "schema": {"secret": 1}}
TEXTS = {
    "behaviour": "Be brief.",
    "soul": "You are warm.",
    "core_behaviour": "Work hard.",
    "core_soul": "You are exact.",
    "fleet": "Bob's agent paints.",
}


@pytest.fixture
def baker(db):
    agent = make_agent("baker", **TEXTS)
    agent.organization.user_text = "The users are bakers."
    return agent


def test_the_edge_lane_has_its_texts_in_order(baker):
    assert fixed_texts(baker, "edge") == [
        "Be brief.",
        "Bob's agent paints.",
        "The users are bakers.",
        "You are warm.",
    ]


@pytest.mark.requirement("CH-33")
def test_the_core_lane_never_has_the_users_text(baker):
    baker.has_core_lane = True

    assert fixed_texts(baker, "core") == ["Work hard.", "You are exact."]
    assert "The users are bakers." in fixed_texts(baker, "edge")


def test_an_agent_with_two_lanes_has_no_list_of_the_others(baker):
    baker.has_core_lane = True

    assert "Bob's agent paints." not in fixed_texts(baker, "edge")


@pytest.mark.requirement("CH-35")
@pytest.mark.parametrize(("lane", "behaviour"), [("edge", "Be brief."), ("core", "Work hard.")])
def test_skills_follow_the_behaviour_by_name_and_description_alone(baker, lane, behaviour):
    baker.skills = [SKILL]

    assert fixed_texts(baker, lane)[0] == f"{behaviour}\n\nSkills:\n- baking: bakes bread"


def test_skills_stand_alone_without_behaviour(db):
    agent = make_agent(behaviour="", skills=[SKILL])

    assert fixed_texts(agent, "edge") == ["Skills:\n- baking: bakes bread"]


def test_nothing_configured_is_no_text(db):
    assert fixed_texts(make_agent(behaviour=""), "edge") == []
