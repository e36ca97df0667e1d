"""What the descriptions of answers are built from."""

from collections.abc import Sequence
from copy import deepcopy

from django.db.models import Model
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

Answer = type[serializers.Serializer]
Field = serializers.Field


def answer(name: str, text: str, /, **fields: Field) -> Answer:
    """Return the description of an object under a name of its own in the schema."""
    shape = type(name, (serializers.Serializer,), {"__doc__": text, **fields})
    described: Answer = extend_schema_serializer(component_name=name)(shape)
    return described


def row(name: str, text: str, model: type[Model], names: Sequence[str], /, **more: Field) -> Answer:
    """Return the description of a model's row as it is shown: some columns, and what is beside them."""
    shown = ("id", *names) if "id" not in (*names, *more) else tuple(names)
    meta = type("Meta", (), {"model": model, "fields": (*shown, *more), "read_only_fields": shown})
    body = {"__doc__": text, "Meta": meta, **more}
    shape = type(name, (serializers.ModelSerializer,), body)
    described: Answer = extend_schema_serializer(component_name=name)(shape)
    return described


def page(name: str, item: Answer) -> Answer:
    """Return the description of a page of a list."""
    cursor = serializers.CharField(allow_null=True, help_text="The `after` of the next page.")
    return answer(name, "A page of a list.", results=item(many=True), next=cursor)


def results(name: str, item: Answer, /, **more: Field) -> Answer:
    """Return the description of a list that has no pages."""
    return answer(name, "Results.", results=item(many=True), **more)


def text(**options: object) -> Field:
    return serializers.CharField(**options)  # type: ignore[arg-type]  # passed on


def maybe(field: type[Field] = serializers.CharField) -> Field:
    """Return a field that may be null."""
    return field(allow_null=True)


def number() -> Field:
    return serializers.IntegerField()


def real() -> Field:
    return serializers.FloatField()


def flag() -> Field:
    return serializers.BooleanField()


def uuid() -> Field:
    return serializers.UUIDField()


def maybe_uuid() -> Field:
    return maybe(serializers.UUIDField)


def moment() -> Field:
    return serializers.DateTimeField()


def maybe_moment() -> Field:
    return maybe(serializers.DateTimeField)


def texts() -> Field:
    return serializers.ListField(child=serializers.CharField())


def uuids() -> Field:
    return serializers.ListField(child=serializers.UUIDField())


def anything() -> Field:
    """Return an object whose names are the caller's, or a model's."""
    return serializers.DictField()


def objects() -> Field:
    return serializers.ListField(child=serializers.DictField())


def values() -> Field:
    """Return a list of any JSON."""
    return serializers.ListField(child=serializers.JSONField())


def counts() -> Field:
    return serializers.DictField(child=serializers.IntegerField())


def optional(field: Field) -> Field:
    """Return a field that an answer may leave out."""
    copied = deepcopy(field)
    # The framework copies a field by making it anew of these: what is set on it alone is lost.
    vars(copied)["_kwargs"]["required"] = False
    return copied


def maybe_anything() -> Field:
    return serializers.DictField(allow_null=True)


def value() -> Field:
    """Return a field of any JSON."""
    return serializers.JSONField(allow_null=True)


def maybe_real() -> Field:
    return maybe(serializers.FloatField)


def maybe_number() -> Field:
    return maybe(serializers.IntegerField)


def by_name(item: Answer) -> Field:
    """Return an object that holds a list of items under each of its names."""
    return serializers.DictField(child=item(many=True))
