"""The OpenAPI document as rows that a page shows (pure)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Json = Mapping[str, object]
LIMITS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minimum": "from {}",
    "maximum": "to {}",
    "pattern": "as {}",
}
# One choice a line says what `enum` says already.
CHOICES = "* `"


@dataclass(frozen=True, slots=True)
class Field:
    """`place` is where it is sent: path, query, header or body."""

    name: str
    place: str
    kind: str
    limits: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class ApiCall:
    """`shape` names the body's shape; empty where there is none, or one without a name."""

    method: str
    path: str
    about: str
    fields: list[Field]
    shape: str
    answers: list[tuple[str, str]]

    @property
    def group(self) -> str:
        """The resource: the first word after the version."""
        return self.path.split("/")[3]


@dataclass(frozen=True, slots=True)
class Shape:
    name: str
    about: str
    fields: list[Field]


def calls(document: Json) -> list[ApiCall]:
    return [
        _call(path, method, _mapping(call))
        for path, methods in _mapping(document.get("paths")).items()
        for method, call in _mapping(methods).items()
    ]


def shapes(document: Json) -> list[Shape]:
    found = _mapping(_mapping(document.get("components")).get("schemas"))
    return [_shape(name, _mapping(schema)) for name, schema in found.items()]


def _call(path: str, method: str, call: Json) -> ApiCall:
    body = _schema(call.get("requestBody"))
    responses = _mapping(call.get("responses"))
    return ApiCall(
        method=method.upper(),
        path=path,
        about=str(call.get("description", "")),
        fields=[_parameter(one) for one in _listed(call.get("parameters"))],
        shape=_name_of(body),
        answers=[(status, _answer(_mapping(one))) for status, one in responses.items()],
    )


def _shape(name: str, schema: Json) -> Shape:
    required = _names(schema.get("required"))
    fields = [
        Field(key, "body", kind(_mapping(one)), _limits(_mapping(one)), key in required)
        for key, one in _mapping(schema.get("properties")).items()
    ]
    return Shape(name, str(schema.get("description", "")), fields)


def _parameter(parameter: Json) -> Field:
    schema = _mapping(parameter.get("schema"))
    about = str(parameter.get("description", ""))
    said = ["" if about.startswith(CHOICES) else about, _limits(schema)]
    return Field(
        name=str(parameter["name"]),
        place=str(parameter["in"]),
        kind=kind(schema),
        limits="; ".join(part for part in said if part),
        is_required=parameter.get("required") is True,
    )


def _answer(answer: Json) -> str:
    said = str(answer.get("description", ""))
    return said or kind(_schema(answer))


def kind(schema: Json) -> str:
    """Return what a value must be, in a few words."""
    name = _name_of(schema)
    if name:
        return name
    if isinstance(schema.get("enum"), list):
        return " | ".join(str(one) for one in _names(schema["enum"]))
    if schema.get("type") == "array":
        return f"list of {kind(_mapping(schema.get('items')))}"
    return str(schema.get("format") or schema.get("type") or "any")


def _name_of(schema: Json) -> str:
    """Return the name of the shape that a schema refers to, directly or as its one alternative."""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return reference.rpartition("/")[2]
    inner = [*_listed(schema.get("allOf")), *_listed(schema.get("oneOf"))]
    return " | ".join(filter(None, map(_name_of, inner)))


def _limits(schema: Json) -> str:
    return "; ".join(_limits_of(schema))


def _limits_of(schema: Json) -> Iterator[str]:
    for name, text in LIMITS.items():
        if name in schema:
            yield text.format(schema[name])
    if schema.get("nullable") is True:
        yield "or null"
    if schema.get("default") not in (None, "", {}, []):
        yield f"default {schema['default']}"


def _schema(holder: object) -> Json:
    """Return the JSON schema of a request's or an answer's body."""
    content = _mapping(_mapping(holder).get("content"))
    return _mapping(_mapping(content.get("application/json")).get("schema"))


def _mapping(value: object) -> Json:
    return value if isinstance(value, Mapping) else {}


def _listed(value: object) -> list[Json]:
    return [_mapping(one) for one in value] if isinstance(value, list) else []


def _names(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []
