"""A user's connections to tools, and what was learned of each: found, made, changed, deleted."""

from collections.abc import Mapping
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.models import Connection, Owner
from accounts.scope import Scope
from audit.log import record
from knowledge.errors import ConnectionChanged, ConnectionExists, ConnectionUnfit, ConnectionUnknown
from memory.hashing import canonical

LEARNED_BYTES = 16_384
DEEPEST = 10
Fields = Mapping[str, object]


def find_connection(*, scope: Scope, connection: UUID) -> Connection:
    """Return a connection with its owner and agent. Raises ConnectionUnknown."""
    mine = Connection.objects.within(scope).select_related("owner__agent")
    found = mine.filter(pk=connection).first()
    if found is None:
        raise ConnectionUnknown("there is no such connection")
    return found


def connect(*, owner: Owner, actor: str, fields: Fields) -> Connection:
    """Make a connection. Raises ConnectionExists or ConnectionUnfit."""
    made = Connection(owner=owner, **fields)
    _check(made)
    try:
        with transaction.atomic():
            made.save(force_insert=True)
            record(actor=actor, action="connection.create", subject=str(made.pk))
    except IntegrityError as error:
        raise ConnectionExists(f"there is a connection to {made.tool} of this name") from error
    return made


def change_connection(
    *, connection: Connection, actor: str, fields: Fields, version: int | None = None
) -> Connection:
    """Change the given fields and no others; `version` is the one that was seen, None for any.

    What says nothing new leaves the version as it is.

    Raises ConnectionUnknown, ConnectionChanged, ConnectionExists or ConnectionUnfit.
    """
    try:
        with transaction.atomic():
            found = _locked(connection, version)
            if all(getattr(found, name) == value for name, value in fields.items()):
                return found
            for name, value in fields.items():
                setattr(found, name, value)
            _save(found)
            detail = {"fields": " ".join(sorted(fields))}
            record(actor=actor, action="connection.change", subject=str(found.pk), detail=detail)
    except IntegrityError as error:
        raise ConnectionExists("another connection to the tool has this name") from error
    return found


def disconnect(*, connection: Connection, actor: str, version: int | None = None) -> None:
    """Delete a connection with all that was learned of it. Raises ConnectionUnknown or ConnectionChanged."""
    with transaction.atomic():
        found = _locked(connection, version)
        record(actor=actor, action="connection.delete", subject=str(found.pk))
        found.delete()


def update_connection_context(
    *, connection: Connection, learned_info: Fields, version: int | None = None
) -> Connection:
    """Merge what was learned into what is known: objects name by name, null takes a name away.

    Lists and other values replace. Raises ConnectionUnknown, ConnectionChanged or ConnectionUnfit.
    """
    with transaction.atomic():
        found = _locked(connection, version)
        known = merged(found.persistent_learned_info, learned_info)
        if known != found.persistent_learned_info:
            found.persistent_learned_info = known
            _save(found)
    return found


def merged(known: Fields, new: Fields, depth: int = 1) -> dict[str, object]:
    """Return both as one object, the new values in the place of the known (pure).

    Raises ConnectionUnfit for what is nested too deeply.
    """
    if depth > DEEPEST:
        raise ConnectionUnfit(f"at most {DEEPEST} objects within one another")
    left = {name: value for name, value in known.items() if name not in new}
    return left | {
        name: _value(known.get(name), value, depth)
        for name, value in new.items()
        if value is not None
    }


def _value(known: object, new: object, depth: int) -> object:
    if not isinstance(new, Mapping):
        return new
    return merged(known if isinstance(known, Mapping) else {}, new, depth + 1)


def _locked(connection: Connection, version: int | None) -> Connection:
    """Return the row as it is now, under its lock. Raises ConnectionUnknown or ConnectionChanged."""
    rows = Connection.objects.select_for_update()
    found = rows.filter(pk=connection.pk, owner_id=connection.owner_id).first()
    if found is None:
        raise ConnectionUnknown("the user has no such connection")
    if version is not None and found.version != version:
        detail = {"version": found.version}
        raise ConnectionChanged(f"it is in version {found.version}, not {version}", detail=detail)
    found.owner = connection.owner
    return found


def _save(found: Connection) -> None:
    _check(found)
    found.version += 1
    found.save()


def _check(found: Connection) -> None:
    if len(canonical(found.persistent_learned_info)) > LEARNED_BYTES:
        raise ConnectionUnfit(f"what was learned takes at most {LEARNED_BYTES} bytes")
    if (found.refresh == Connection.Refresh.HTTP) != bool(found.schema_url):
        raise ConnectionUnfit("an address is named where it is fetched from, and nowhere else")
