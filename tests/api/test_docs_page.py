import re

import pytest
from drf_spectacular.generators import SchemaGenerator

from api.reference import ApiCall, Field, Shape, calls, shapes

pytestmark = pytest.mark.django_db
DOCUMENT = {
    "paths": {
        "/api/v1/things/{id}": {
            "post": {
                "description": "Make a thing.",
                "parameters": [
                    {
                        "name": "id",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "string", "format": "uuid"},
                    },
                    {
                        "name": "lane",
                        "in": "query",
                        "description": "* `edge` - Edge",
                        "schema": {"enum": ["edge", "core"], "default": "edge"},
                    },
                ],
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}
                    }
                },
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {
                                "schema": {
                                    "type": "array",
                                    "items": {"$ref": "#/components/schemas/Thing"},
                                }
                            }
                        }
                    },
                    "404": {"description": "No such thing."},
                },
            }
        }
    },
    "components": {
        "schemas": {
            "Thing": {
                "description": "A thing.",
                "required": ["size"],
                "properties": {
                    "size": {"type": "integer", "minimum": 1, "maximum": 9},
                    "colour": {"allOf": [{"$ref": "#/components/schemas/Colour"}]},
                    "note": {"type": "string", "nullable": True, "maxLength": 5},
                    "any": {},
                },
            }
        }
    },
}


def test_the_page_shows_every_call_and_every_shape(client):
    page = client.get("/api/v1/docs").content.decode()
    document = SchemaGenerator().get_schema(request=None, public=True)

    for path, methods in document["paths"].items():
        for method in methods:
            assert re.search(rf"<b>{method.upper()}</b> <code>{re.escape(path)}</code>", page)
    for name in document["components"]["schemas"]:
        assert f'id="{name}"' in page


def test_the_page_takes_nothing_from_elsewhere(client):
    answer = client.get("/api/v1/docs")

    page = answer.content.decode()
    assert "http://" not in page
    assert "https://" not in page
    assert "style=" not in page
    assert not re.search(r"<script(?![^>]*src=)", page)
    assert "default-src 'none'" in answer["Content-Security-Policy"]


def test_every_link_inside_the_page_leads_somewhere(client):
    page = client.get("/api/v1/docs").content.decode()

    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert targets
    assert targets <= set(re.findall(r'id="([^"]+)"', page))


def test_a_call_is_read_with_its_fields_and_answers():
    assert calls(DOCUMENT) == [
        ApiCall(
            method="POST",
            path="/api/v1/things/{id}",
            about="Make a thing.",
            fields=[
                Field("id", "path", "uuid", "", True),
                Field("lane", "query", "edge | core", "default edge", False),
            ],
            shape="Thing",
            answers=[("200", "list of Thing"), ("404", "No such thing.")],
        )
    ]


def test_a_shape_is_read_with_its_limits():
    assert shapes(DOCUMENT) == [
        Shape(
            "Thing",
            "A thing.",
            [
                Field("size", "body", "integer", "from 1; to 9", True),
                Field("colour", "body", "Colour", "", False),
                Field("note", "body", "string", "at most 5 characters; or null", False),
                Field("any", "body", "any", "", False),
            ],
        )
    ]
