import pytest
from django.http import HttpResponse

from memory_project.policy import HEADER, POLICY, name_the_policy


def answer(rf, response):
    return name_the_policy(lambda request: response)(rf.get("/"))


@pytest.mark.parametrize("path", ["/login/", "/health/live", "/api/v1/recall", "/none"])
def test_every_answer_names_the_policy(client, db, path):
    assert client.get(path)[HEADER] == POLICY


def test_nothing_is_loaded_from_elsewhere():
    assert POLICY.startswith("default-src 'none'; ")
    assert "unsafe" not in POLICY
    assert "http" not in POLICY


def test_an_answer_may_be_stricter(rf):
    strict = HttpResponse(headers={HEADER: "default-src 'none'"})

    assert answer(rf, strict)[HEADER] == "default-src 'none'"


@pytest.mark.parametrize(
    ("status", "named"), [(200, True), (403, True), (404, False), (500, False)]
)
def test_the_debug_pages_of_django_have_styles_of_their_own(rf, settings, status, named):
    settings.DEBUG = True

    assert (HEADER in answer(rf, HttpResponse(status=status)).headers) is named
