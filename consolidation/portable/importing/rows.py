"""Rows of a file written as they are told, where the person has none of the same name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import DateTimeField, Field, Model, QuerySet

from accounts.models import Owner
from consolidation.portable.importing.ids import Ids
from consolidation.portable.reading.checking import Row
from knowledge.imports.items import ImportTally

BATCH = 500
# Made anew by the jobs of this server.
NEVER = frozenset({"owner_id", "embedding", "space_id", "filed_under_id", "run_id"})
Change = Callable[[dict[str, object], Ids], None]


def _as_told(row: dict[str, object], ids: Ids) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Recipe:
    """How rows of a table come in. `same` are the fields that tell one from another.

    A row whose `same` are all empty is told from others by its id alone. `ids` are renewed.
    """

    model: type[Model]
    same: tuple[str, ...]
    ids: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)
    change: Change = _as_told


def restore(owner: Owner, recipe: Recipe, rows: Sequence[Row], ids: Ids) -> ImportTally:
    """Add the rows that are not there, with their own times."""
    mine: QuerySet = QuerySet(recipe.model).filter(owner=owner)
    there = set(mine.values_list(*recipe.same))
    names = {one.attname: one for one in _fields(recipe.model)}
    has_uuid = names["id"].get_internal_type() == "UUIDField"
    known = set(mine.values_list("pk", flat=True)) if has_uuid else set()
    made: list[Model] = []
    for row in rows:
        told = {name: value for name, value in row.items() if name in names and name not in NEVER}
        same = tuple(told.get(name) for name in recipe.same)
        if not has_uuid:
            told.pop("id", None)
        elif ids.of(_uuid(told["id"])) in known:
            continue
        if any(same) and same in there:
            continue
        there.add(same)
        for name in recipe.ids:
            told[name] = ids.within(told.get(name))
        recipe.change(told, ids)
        made.append(recipe.model(owner_id=owner.pk, **told | dict(recipe.extra)))
    _insert(recipe.model, made, list(names.values()))
    return ImportTally(added=len(made), known=len(rows) - len(made))


def _insert(model: type[Model], made: Sequence[Model], fields: Sequence[Field]) -> None:
    own = [
        one.attname
        for one in fields
        if isinstance(one, DateTimeField) and (one.auto_now or one.auto_now_add)
    ]
    # An insert writes the time that it is: what was told is put back afterwards.
    told = [{name: getattr(row, name) for name in own} for row in made]
    table: QuerySet = QuerySet(model)
    table.bulk_create(made, batch_size=BATCH)
    for row, times in zip(made, told, strict=True):
        for name, value in times.items():
            setattr(row, name, value or getattr(row, name))
    if own and made:
        table.bulk_update(made, own, batch_size=BATCH)


def _fields(model: type[Model]) -> Sequence[Field]:
    found: Sequence[Field] = model._meta.concrete_fields  # noqa: SLF001 - documented by Django
    return [one for one in found if not getattr(one, "generated", False)]


def _uuid(value: object) -> UUID:
    assert isinstance(value, UUID), "a checked field"  # noqa: S101 - narrows
    return value
