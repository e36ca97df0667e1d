"""What is really answered has the shape that the schema gives it."""

import re

import orjson
import pytest
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from api.v1.operations import OPERATIONS
from tests.walk.rows import fill_home, values_of

SCHEMA = SchemaGenerator().get_schema(request=None, public=True)
USER = "?user=alice"
BODIES = {
    "POST memories": {"user": "alice", "text": "I like trout."},
    "POST memories/search": {"user": "alice", "query": "trout"},
    "POST memories/forget": {"user": "alice", "query": "trout"},
    "POST sessions": {"user": "alice"},
    "POST sessions/{session}/context": {},
    "POST recall": {
        "user": "alice",
        "query": "trout",
        "stores": ["session", "knowledge", "context"],
        "widen": 1,
    },
    "POST memory/forget": {"user": "alice", "query": "trout"},
    "POST knowledge": {"key": "k", "content": "trout"},
    "POST notes": {"user": "alice", "name": "n", "content": "trout"},
    "POST notes/search": {"user": "alice", "query": "trout"},
    "POST workspace/search": {"user": "alice", "query": "trout"},
    "POST saved-facts": {"user": "alice", "key": "k", "value": "v"},
    "POST saved-facts/search": {"user": "alice", "query": "v"},
    "POST context-documents/search": {"user": "alice", "query": "trout"},
    "POST inbox/scores": {"user": "alice", "items": [{"id": "1", "subject": "x"}]},
    "POST playbooks/render": {"user": "alice", "template": "x"},
    "POST suggestions": {"user": "alice", "request": "trout"},
    "POST observations": {"user": "alice", "content": "x", "category": "fact"},
    "POST users/{user}/erase": {"dry_run": True},
    "POST users/{user}/page-link": {},
    "POST agents": {"slug": "baker"},
    "POST agents/{slug}/keys": {},
    "PUT budgets": {"micro_usd": 5},
    "PATCH organization": {"name": "Home"},
}
OPERATORS = ("agents", "budgets", "changesets", "costs", "jobs", "measures", "organization")
# These stream, or answer as their tool does.
OTHERWISE = {"GET users/{user}/export", "POST tools/{name}"}
ASKED = [
    name
    for name in OPERATIONS
    if (name.startswith("GET") or name in BODIES) and name not in OTHERWISE
]
QUERIES = {
    "GET memory/as-of": "&at=2026-11-01T00:00:00Z",
    "GET costs": "?by=day",
    "GET measures": "",
    "GET workspace/versions/{name}": "",
}


@pytest.fixture
def home(porter):
    session = fill_home(porter)
    found = {re.sub(r".*:|>", "", name): value for name, value in values_of(session).items()}
    return found | {"session": session.pk, "user": "alice", "slug": "porter", "layer": "facts"}


def test_the_main_operations_are_asked():
    assert len(ASKED) > 60


@pytest.mark.parametrize("name", ASKED)
def test_an_answer_has_the_shape_of_its_schema(api, operator_api, home, name):
    method, path = name.split(" ", 1)
    where = path
    for part in re.findall(r"\{(\w+)\}", path):
        where = where.replace(f"{{{part}}}", str(value_of(home, path, part)))
    client = operator_api if path.startswith(OPERATORS) or "balance" in path else api
    if method == "GET" and "{user}" not in path:
        where += (
            QUERIES.get(name, "") if path.startswith(OPERATORS) else USER + QUERIES.get(name, "")
        )

    answer = client.generic(
        method, f"/api/v1/{where}", *body_of(name), content_type="application/json"
    )

    assert answer.status_code < 300, answer.content
    schema = schema_of(f"/api/v1/{path}", method, answer.status_code)
    faults = [fault.message for fault in validator(schema).iter_errors(answer.json())]
    assert faults == []


def value_of(home: dict, path: str, part: str) -> object:
    if part == "memory":
        return home["item"]
    if part == "name":
        return "search" if path.startswith("notes") else "MEMORY.md"
    return "one" if part == "key" else home[part]


def body_of(name: str) -> list[bytes]:
    return [orjson.dumps(BODIES[name])] if name in BODIES else []


def schema_of(path: str, method: str, status: int) -> dict:
    answers = SCHEMA["paths"][path][method.lower()]["responses"]
    found: dict = answers[str(status)]["content"]["application/json"]["schema"]
    return found


def validator(schema: dict) -> Draft202012Validator:
    whole = Resource.from_contents(as_json_schema(SCHEMA), default_specification=DRAFT202012)
    registry = Registry().with_resource("urn:api", whole)
    name = schema["$ref"].removeprefix("#")
    return Draft202012Validator({"$ref": f"urn:api#{name}"}, registry=registry)


def as_json_schema(part: object) -> object:
    """Return OpenAPI 3.0's `nullable` as JSON Schema has it."""
    if isinstance(part, list):
        return [as_json_schema(one) for one in part]
    if not isinstance(part, dict):
        return part
    found = {name: as_json_schema(value) for name, value in part.items() if name != "nullable"}
    return {"anyOf": [found, {"type": "null"}]} if part.get("nullable") is True else found
