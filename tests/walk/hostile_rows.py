"""Every text that a table can hold, replaced by one that would run if a page let it."""

from collections.abc import Iterator

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import DataError, IntegrityError, transaction
from django.db.models import CharField, Field, JSONField, Model, TextField, UUIDField

OURS = ("accounts", "audit", "consolidation", "knowledge", "memory", "recall")
# What the code writes itself and looks up again: names of things of the program, and digests.
OWN = {
    "accounts.ApiKey": {"prefix"},
    "accounts.Agent": {"language"},
    "accounts.User": {"password"},
    "memory.EmbeddingSpace": {"model", "version"},
}
# Inside JSON: what names something of the program, or says when.
OWN_KEYS = {"id", "kind", "layer", "block", "role", "since", "at", "type", "store", "label"}


def texts_of(model: type[Model]) -> list[Field]:
    """Return the fields of a model that somebody else's words may get into."""
    own = OWN.get(model._meta.label, set())
    return [
        field
        for field in model._meta.concrete_fields
        if isinstance(field, CharField | TextField | JSONField | ArrayField)
        and not (field.choices or field.primary_key or field.name in own or field.generated)
    ]


def hostile(place: str, longest: int | None, number: int) -> str:
    """Return what would run, with the place that it stands in, as long as may be."""
    long = f"<script>alert('{place}')</script>\"><img src=x onerror=alert(1)>{{{{ 7*7 }}}}{number}"
    short = f"\"><img src=x onerror=a()>'{number}"
    if longest is None or len(long) <= longest:
        return long
    return short if len(short) <= longest else f"<b>\"'{number}"[:longest]


def poison() -> set[str]:
    """Replace every text in every row; return the fields that a table refused."""
    refused = set()
    for label in OURS:
        for model in apps.get_app_config(label).get_models():
            for field in texts_of(model):
                place = f"{model._meta.object_name}.{field.name}"
                for number, (key, value) in enumerate(_stored(model, field)):
                    if not _replaced(model, field, key, _poisoned(field, value, place, number)):
                        refused.add(place)
    return refused


def _stored(model: type[Model], field: Field) -> Iterator[tuple[object, object]]:
    rows = model._base_manager.values_list(model._meta.pk.attname, field.attname)
    yield from list(rows)


def _replaced(model: type[Model], field: Field, key: object, value: object) -> bool:
    try:
        with transaction.atomic():
            model._base_manager.filter(pk=key).update(**{field.attname: value})
    except (IntegrityError, DataError):
        return False
    return True


def _poisoned(field: Field, value: object, place: str, number: int) -> object:
    if isinstance(field, JSONField):
        return _inside(value, place, number)
    if isinstance(field, ArrayField):
        base = field.base_field
        is_text = isinstance(base, CharField | TextField) and not isinstance(base, UUIDField)
        return [hostile(place, base.max_length, number)] if is_text and value else value
    # A place in a profile begins with a slash, whoever names it.
    start = "/" if field.name == "path" else ""
    return start + hostile(place, field.max_length and field.max_length - len(start), number)


def _inside(value: object, place: str, number: int) -> object:
    """Return JSON with each of its texts replaced."""
    if isinstance(value, dict):
        return {
            key: one if key in OWN_KEYS else _inside(one, place, number)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [_inside(one, place, number) for one in value]
    return hostile(place, None, number) if isinstance(value, str) else value
