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


def test_what_is_wrong_is_said_without_python_s_names(api):
    wrong = {
        "{{ 1 < 'x' }}": "values of different kinds are compared",
        "{{ user.nothing }}": "there is no 'nothing' in it",
        "{{ 2 * 3 }}": "a calculation is not for templates of this kind (line 1)",
        "\n{{ f() }}": "a call or a macro is not for templates of this kind (line 2)",
        "{{ " + "9" * 7_000 + " }}": "a value is not what",
    }
    for template, words in wrong.items():
        assert words in render(api, template).json()["title"]


def test_it_refuses_variables_that_are_too_many(api):
    assert render(api, "x", variables={"a": "x" * 9_000}).status_code == 422
