"""What changes are made to: rows by their kind, the lock they change under, their fields as JSON."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from uuid import UUID

from django.db.models import Field

from accounts.models import Owner
from knowledge.models import Arc, ChangeItem, Entity, Fact, ProceduralProfile, Rule

Item = Fact | Arc | Rule | Entity | ProceduralProfile
Fields = Mapping[str, object]
Kind = ChangeItem.Kind
LEARNED: Mapping[str, type[Fact] | type[Arc] | type[Rule] | type[Entity]] = {
    Kind.FACT: Fact,
    Kind.ARC: Arc,
    Kind.RULE: Rule,
    Kind.ENTITY: Entity,
}
# Made from the rest, or of no weight to what the row says.
DERIVED = frozenset({"id", "owner", "embedding", "space", "created_at", "last_referenced_at"})
VECTOR = ("embedding", "space")


def lock_memory(owner: Owner) -> ProceduralProfile:
    """Return the row under whose lock all that was learned of an owner changes."""
    ProceduralProfile.objects.bulk_create([ProceduralProfile(owner=owner)], ignore_conflicts=True)
    return ProceduralProfile.objects.select_for_update().get(owner=owner)


def find_item(owner: Owner, kind: str, target: UUID | None) -> Item | None:
    """Return an owner's item, active or not, or None. The profile needs no target."""
    if kind == Kind.PROFILE:
        return ProceduralProfile.objects.filter(owner=owner).first()
    return LEARNED[kind].objects.filter(owner=owner, pk=target).first()


def build_item(owner: Owner, kind: str, target: UUID, fields: Fields) -> Fact | Arc | Rule | Entity:
    """Return an unsaved item of the fields, given as they are or as JSON."""
    row = LEARNED[kind](id=target, owner=owner)
    _set(row, fields)
    return row


def save_fields(row: Item, fields: Fields) -> None:
    """Write some fields of a row; other words need another vector."""
    _set(row, fields)
    names = [name for name in fields if hasattr(row, name)]
    if isinstance(row, Fact | Arc) and _says_something_else(row, fields):
        row.embedding, row.space = None, None
        names += VECTOR
    row.save(update_fields=names)


def snapshot(row: Item, names: Iterable[str] | None = None) -> dict[str, object]:
    """Return fields of a row as JSON; by default all that say something."""
    if names is None:
        all_fields: Sequence[Field] = type(row)._meta.concrete_fields  # noqa: SLF001 - documented by Django
        names = [field.name for field in all_fields if field.name not in DERIVED]
    return {name: as_json(getattr(row, name)) for name in names}


def field_of(row: Item, name: str) -> Field:
    found = type(row)._meta.get_field(name)  # noqa: SLF001 - documented by Django
    assert isinstance(found, Field), f"{name} is no column"  # noqa: S101 - narrows
    return found


def as_json(value: object) -> object:
    """Return a field's value as JSON; nothing of it is lost, not a microsecond."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    return value


def _set(row: Item, fields: Fields) -> None:
    for name, value in fields.items():
        setattr(row, name, field_of(row, name).to_python(value))


def _says_something_else(row: Fact | Arc, fields: Fields) -> bool:
    words = {"object", "subject", "predicate", "category", "evidence_quote", "statement"}
    words |= {"summary", "themes"}
    return bool(words & fields.keys())
