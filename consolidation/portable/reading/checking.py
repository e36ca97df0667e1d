"""The rows of an export as they would stand in the database, or what is wrong with them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db.models import Field, ForeignKey, JSONField, Model, TextField

from consolidation.errors import ImportUnfit
from consolidation.portable.export import fields_of

Row = Mapping[str, object]
MOST_CHARACTERS = 1_000_000
EARLIEST, LATEST = 1000, 9000


def checked_rows(
    model: type[Model], name: str, rows: Sequence[object], extra: frozenset[str]
) -> list[Row]:
    """Return rows with the values that their fields hold. Raises ImportUnfit.

    `extra` are keys that no field has, and that are texts.
    """
    fields = _fields(model)
    found = [_checked(fields, name, place, row, extra) for place, row in enumerate(rows)]
    ids = [row["id"] for row in found if "id" in row]
    if len(set(ids)) < len(ids):
        raise ImportUnfit(f"two rows of {name} have one id", detail={"section": name})
    return found


def _checked(
    fields: Mapping[str, Field], name: str, place: int, row: object, extra: frozenset[str]
) -> Row:
    where: dict[str, str | int] = {"section": name, "row": place}
    if not isinstance(row, dict):
        raise ImportUnfit(f"row {place} of {name} is not an object", detail=where)
    unknown = row.keys() - fields.keys() - extra
    missing = {"id", "owner_id"} & fields.keys() - row.keys()
    if unknown or missing:
        what = "a field that there is not" if unknown else "no id, or no owner"
        raise ImportUnfit(f"row {place} of {name} has {what}", detail=where)
    done: dict[str, object] = {}
    for key, value in row.items():
        try:
            done[key] = value_of(fields[key], value) if key in fields else _text(value)
        except (ValidationError, ValueError, TypeError, OverflowError) as error:
            # Never the value: it is somebody's words.
            raise ImportUnfit(f"{key} of row {place} of {name} cannot be this", detail=where) from (
                error
            )
    return done


def value_of(field: Field, value: object) -> object:
    """Return what a field holds for a value of JSON. Raises ValidationError or ValueError."""
    if value is None:
        if field.null:
            return None
        raise ValueError("empty")
    if isinstance(field, ForeignKey):
        return value_of(field.target_field, value)
    if isinstance(field, ArrayField):
        return _items(field, value)
    _check_type(field, value)
    found = field.to_python(value)
    field.run_validators(found)
    is_blank = field.blank and found == ""
    if field.choices and not is_blank and found not in _choices(field):
        raise ValueError("no choice")
    _check_size(field, found)
    return found


def _items(field: ArrayField, value: object) -> object:
    if not isinstance(value, list):
        raise TypeError("no list")
    found = [value_of(field.base_field, one) for one in value]
    field.run_validators(found)
    return found


def _check_type(field: Field, value: object) -> None:
    kind = field.get_internal_type()
    is_text = kind in {"CharField", "TextField", "DateTimeField", "UUIDField"}
    is_number = kind.endswith("IntegerField") or kind == "FloatField" or kind.endswith("AutoField")
    if is_text and not isinstance(value, str):
        raise TypeError("no text")
    if is_number and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise TypeError("no number")
    if kind == "BooleanField" and not isinstance(value, bool):
        raise TypeError("neither true nor false")
    if isinstance(field, JSONField) and not isinstance(value, type(_empty(field))):
        raise TypeError("another shape")


def _empty(field: JSONField) -> object:
    """Return what the field begins with; of one that may hold anything, nothing is asked."""
    return field.get_default() if field.has_default() else object()


def _choices(field: Field) -> frozenset[object]:
    return frozenset(value for value, _ in field.flatchoices)


def _check_size(field: Field, value: object) -> None:
    if isinstance(field, TextField) and len(str(value)) > MOST_CHARACTERS:
        raise ValueError("too long")
    if isinstance(value, datetime) and not _is_known(value):
        raise ValueError("a time needs its zone")
    if isinstance(value, float) and not abs(value) < 1e300:
        raise ValueError("too large")


def _is_known(value: datetime) -> bool:
    return value.tzinfo is not None and EARLIEST <= value.year <= LATEST


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > 100:
        raise TypeError("no text")
    return value


def _fields(model: type[Model]) -> dict[str, Field]:
    names = set(fields_of(model))
    found: Sequence[Field] = model._meta.concrete_fields  # noqa: SLF001 - documented by Django
    return {field.attname: field for field in found if field.attname in names}


def text_of(row: Row, name: str) -> str:
    return str(row.get(name) or "")


def id_of(row: Row, name: str = "id") -> UUID:
    found = row[name]
    assert isinstance(found, UUID), "a checked field"  # noqa: S101 - narrows
    return found
