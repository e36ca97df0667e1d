import pytest

from accounts.ids import new_id
from accounts.models import User
from audit.models import AuditEntry
from knowledge.models import Changeset, Contradiction, ScaffoldEntry
from tests.conftest import client_of
from tests.factories import make_agent
from tests.recall.learned import owner_of
from tests.recall.pictures import S, W, connect, picture, sure

URL = "/api/v1/users/alice/profile"
NOTHING = {
    "narrative": {"text": "", "statements": [], "version": 0},
    "scaffold": {"data": {}, "version": 0, "entries": []},
    "learned_info": {"items": [], "version": 0},
    "connections": [],
    "contradictions": [],
    "inbox_guidance": "",
}


@pytest.mark.requirement("TS-81")
def test_it_shows_what_was_learned_how_sure_it_is_and_by_what(api, porter):
    alice, evidence = owner_of(porter), new_id()
    picture(alice)
    sure(alice, "/Role", 0.9)
    ScaffoldEntry.objects.update(evidence=[evidence])
    jira = connect(alice, name="work")
    Contradiction.objects.create(
        owner=alice, path="/Role", kept="baker", lost="cook", rule="newer", kept_events=[evidence]
    )

    found = api.get(URL).json()

    assert found["narrative"] == {"text": W, "statements": [], "version": 3}
    assert (found["scaffold"]["data"], found["scaffold"]["version"]) == (S, 5)
    (entry,) = found["scaffold"]["entries"]
    assert (entry["path"], entry["confidence"]) == ("/Role", 0.9)
    assert (entry["channel"], entry["evidence"]) == ("interactive", [str(evidence)])
    assert found["learned_info"] == {"items": ["has a cat"], "version": 2}
    (connection,) = found["connections"]
    assert (connection["id"], connection["tool"]) == (str(jira.pk), "jira")
    assert connection["persistent_learned_info"] == {"default_project": "jira-PROJ"}
    (sides,) = found["contradictions"]
    assert (sides["kept"], sides["lost"], sides["rule"]) == ("baker", "cook", "newer")
    assert sides["kept_events"] == [str(evidence)]


def test_a_user_never_met_has_nothing_and_stays_unknown(api):
    assert api.get(URL).json() == NOTHING
    assert not User.objects.filter(external_id="alice").exists()


def test_no_other_agent_and_no_other_organization_sees_it(porter, rival_api):
    alice = owner_of(porter)
    picture(alice)
    sure(alice, "/Role", 0.9)
    connect(alice)
    Contradiction.objects.create(owner=alice, path="/Role", kept=1, lost=2, rule="newer")
    other = make_agent("other")
    owner_of(other)

    assert client_of(other).get(URL).json() == NOTHING
    assert rival_api.get(URL).json() == NOTHING


def test_an_id_may_hold_slashes(api, porter):
    picture(owner_of(porter, "team/alice"))

    assert api.get("/api/v1/users/team/alice/profile").json()["narrative"]["text"] == W


def patch(api, version, **body):
    seen = {} if version is None else {"HTTP_IF_MATCH": f'"{version}"'}
    return api.patch(URL, body, format="json", **seen)


@pytest.mark.requirement("TS-81")
def test_a_person_changes_each_part_in_the_version_they_saw(api, porter):
    alice = owner_of(porter)
    picture(alice)

    told = patch(api, 3, narrative="Alice left baking.").json()
    placed = patch(api, 5, scaffold={"/Role": "cook", "/Projects/oven": None}).json()
    listed = patch(api, 2, learned_info=["has two cats"]).json()

    assert (told["narrative"]["text"], told["narrative"]["version"]) == ("Alice left baking.", 4)
    assert placed["scaffold"]["data"] == {"Role": "cook", "Goals": {"year": "open a bakery"}}
    (entry,) = placed["scaffold"]["entries"]
    assert (entry["path"], entry["channel"], entry["confidence"]) == ("/Role", "person", 1.0)
    assert listed["learned_info"] == {"items": ["has two cats"], "version": 3}
    assert Changeset.objects.filter(owner=alice, origin="person").count() == 3
    assert AuditEntry.objects.filter(action__startswith="memory.edit_").count() == 3


def test_a_part_nobody_wrote_yet_is_in_version_0(api):
    found = patch(api, 0, scaffold={"/Role": "cook"}).json()["scaffold"]

    assert (found["data"], found["version"]) == ({"Role": "cook"}, 1)


def test_another_version_than_the_one_seen_changes_nothing(api, porter):
    picture(owner_of(porter))

    answer = patch(api, 2, narrative="Alice left baking.")

    assert (answer.status_code, answer.json()["code"]) == (412, "item_changed")
    assert answer.json()["detail"] == {"version": 3}
    assert patch(api, None, narrative="Alice left baking.").status_code == 422
    assert api.get(URL).json()["narrative"]["text"] == W


def test_no_other_agent_changes_it(api, porter):
    picture(owner_of(porter))

    patch(client_of(make_agent("other")), 0, narrative="Alice is bob.")

    assert api.get(URL).json()["narrative"]["text"] == W


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"inbox_guidance": 7},
        {"inbox_guidance": "x" * 4_001},
        {"narrative": "x", "learned_info": []},
        {"narrative": "word " * 501},
        {"scaffold": {}},
        {"scaffold": {"Role": "no pointer"}},
        {"learned_info": [7]},
        {"learned_info": ["x"] * 201},
    ],
)
def test_it_refuses_what_does_not_fit(api, body):
    assert patch(api, 0, **body).status_code == 422
