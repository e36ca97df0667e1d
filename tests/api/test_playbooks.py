import pytest

from tests.recall.learned import owner_of
from tests.recall.pictures import W, picture

URL = "/api/v1/playbooks/render"


def render(api, template, **more):
    return api.post(URL, {"user": "alice", "template": template, **more}, format="json")


@pytest.mark.requirement("TS-77")
def test_it_fills_a_template_with_what_is_known_of_the_user(api, porter):
    picture(owner_of(porter))

    answer = render(api, "{{ user.narrative }} {{ n }}", variables={"n": 7})

    assert (answer.status_code, answer.json()) == (200, {"text": f"{W} 7"})


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("{{ ''.__class__() }}", "playbook_unfit"),
        ("{{ nobody }}", "playbook_failed"),
        ("x" * 8_001, "playbook_unfit"),
    ],
)
def test_it_says_why_a_template_is_refused(api, template, code):
    answer = render(api, template)

    assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_it_refuses_variables_that_are_too_many(api):
    assert render(api, "x", variables={"a": "x" * 9_000}).status_code == 422
