"""What the schema promises, and what random calls to it find."""

import os

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings

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


def test_every_call_documents_its_failures():
    document = SchemaGenerator().get_schema(request=None, public=True)

    calls = [call for path in document["paths"].values() for call in path.values()]

    assert len(calls) >= 15
    assert all({"401", "404", "422"} <= call["responses"].keys() for call in calls)


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
