"""What the schema promises, and what random calls to it find."""

import json
import os
import re

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from openapi_spec_validator import validate
from schemathesis.specs.openapi.checks import response_schema_conformance

from api.v1.operations import OPERATIONS
from memory_project.wsgi import application

schema = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True))
schema.app = application
EXAMPLES = 200 if os.environ.get("RECOLLECT_FULL") else 4


@pytest.fixture(autouse=True)
def _one_connection():
    """Keep the test's transaction: a server would close its connection between requests."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def document() -> dict:
    return SchemaGenerator().get_schema(request=None, public=True)


@pytest.fixture(scope="module")
def calls(document) -> list[dict]:
    return [call for path in document["paths"].values() for call in path.values()]


def test_every_call_documents_its_failures(calls):
    assert len(calls) >= 15
    assert all({"401", "404", "422"} <= call["responses"].keys() for call in calls)


def test_the_document_is_valid(document):
    validate(json.loads(json.dumps(document)))


def test_every_operation_says_what_it_answers(calls):
    silent = [call["operationId"] for call in calls if not all(map(is_named, answers_of(call)))]

    assert silent == []
    assert len(calls) == len(OPERATIONS)


def test_every_operation_has_a_name_a_tag_and_a_summary(calls):
    names = [call["operationId"] for call in calls]

    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", name)] == []
    assert all(len(call["tags"]) == 1 and call["summary"] for call in calls)


def test_every_failure_has_the_one_shape(document, calls):
    refs = {
        answer.get("$ref")
        for call in calls
        for status, answer in call["responses"].items()
        if status >= "400"
    }

    assert None not in refs
    for response in document["components"]["responses"].values():
        (content,) = response["content"].values()
        assert content["schema"] == {"$ref": "#/components/schemas/Problem"}


def answers_of(call: dict) -> list[dict]:
    return [answer for status, answer in call["responses"].items() if status < "300"]


def is_named(answer: dict) -> bool:
    """Say whether an answer has a shape with a name, or no body."""
    content = answer.get("content")
    if content is None:
        return "No response body" in answer["description"]
    return all("$ref" in form["schema"] for form in content.values())


@schema.parametrize()
@settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
def test_no_generated_call_breaks_the_server(case, api, operator_api):
    by_operator = ("/api/v1/agents", "/api/v1/jobs", "/api/v1/organization")
    client = operator_api if case.path.startswith(by_operator) else api
    key = client._credentials["HTTP_AUTHORIZATION"]

    answer = case.call(headers={"Authorization": key})

    assert answer.status_code < 500
    if answer.status_code < 300 and answer.content:
        case.validate_response(answer, checks=[response_schema_conformance])
