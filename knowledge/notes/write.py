"""The front door of notes: what an agent writes, by name. Archives are not to be written here."""

from collections.abc import Callable, Sequence
from uuid import UUID

from django.db import transaction

from accounts.idempotency import fingerprint, once
from accounts.models import Owner
from audit.log import record
from knowledge.documents.agent import CONTENT_BYTES
from knowledge.errors import ContentUnfit, EntryChanged, EntryReadOnly
from knowledge.models import Entry
from knowledge.notes.entries.operations import Add, Alias, Operation, Remove, Rename, Write
from knowledge.notes.store import Applied, apply_operation, find_entry, get_entry, lock_entries
from memory.hashing import canonical


def add_note(
    *,
    owner: Owner,
    actor: str,
    name: str,
    content: str,
    aliases: Sequence[str] = (),
    request_key: str | None = None,
) -> Applied:
    """Add a note with its aliases; a repetition of `request_key` changes nothing.

    Raises what decide raises, or IdempotencyConflict when the key belongs to another request.
    """
    _check_size(content)
    request = fingerprint(canonical(["note", owner.pk, name, content, list(aliases)]))

    def write() -> list[UUID]:
        _apply(owner, actor, [Add(name, content), *_binding(name, aliases)])
        return []

    with transaction.atomic():
        _, repeated = once(agent=owner.agent, key=request_key, request=request, write=write)
        entry = get_entry(owner=owner, name=name)
    return Applied(entry, is_new=not repeated, is_changed=not repeated)


def put_note(
    *,
    owner: Owner,
    actor: str,
    name: str,
    content: str,
    aliases: Sequence[str] = (),
    expected: int | None = None,
) -> Applied:
    """Write the note of this name or alias, or add it, and bind the aliases.

    `expected` is the version that the caller has seen, 0 for none, None for any. Raises what decide
    raises, EntryReadOnly, or EntryChanged.
    """
    _check_size(content)
    with transaction.atomic():
        lock_entries(owner)
        found = _writable(find_entry(owner=owner, name=name), expected)
        first = Write(name, content) if found else Add(name, content)
        is_changed = _apply(owner, actor, [first, *_binding(name, aliases)])
        entry = get_entry(owner=owner, name=name)
    return Applied(entry, is_new=found is None, is_changed=is_changed)


def amend_note(
    *,
    owner: Owner,
    actor: str,
    name: str,
    new_name: str | None = None,
    alias: str | None = None,
    expected: int | None = None,
) -> Applied:
    """Rename a note, or bind one more name to it, or both. Raises what put_note raises."""
    operations: list[Operation] = [Alias(name, alias)] if alias is not None else []
    if new_name is not None:
        operations.append(Rename(name, new_name))
    with transaction.atomic():
        lock_entries(owner)
        _writable(get_entry(owner=owner, name=name), expected)
        is_changed = _apply(owner, actor, operations)
        entry = get_entry(owner=owner, name=name)
    return Applied(entry, is_new=False, is_changed=is_changed)


def remove_note(*, owner: Owner, actor: str, name: str, expected: int | None = None) -> Entry:
    """Delete a note with all its names, and return what it was. Raises what put_note raises."""
    with transaction.atomic():
        lock_entries(owner)
        found = get_entry(owner=owner, name=name)
        _writable(found, expected)
        _apply(owner, actor, [Remove(name)])
    return found


def once_only(
    *, owner: Owner, request_key: str | None, request: Sequence[object], write: Callable[[], str]
) -> str | None:
    """Return what `write` returns, or None for a repetition of `request_key`. All of it or nothing.

    Raises IdempotencyConflict when the key belongs to another request.
    """
    done: list[str] = []

    def write_once() -> list[UUID]:
        done.append(write())
        return []

    digest = fingerprint(canonical([owner.pk, *request]))
    with transaction.atomic():
        once(agent=owner.agent, key=request_key, request=digest, write=write_once)
    return done[0] if done else None


def _apply(owner: Owner, actor: str, operations: Sequence[Operation]) -> bool:
    """Do operations on one note, record each that changed it, and say whether any did."""
    is_changed = False
    for operation in operations:
        applied = apply_operation(owner=owner, operation=operation)
        if applied.is_changed:
            action = f"note.{type(operation).__name__.lower()}"
            record(actor=actor, action=action, subject=f"{owner.pk}/{applied.entry.number}")
            is_changed = True
    return is_changed


def _binding(name: str, aliases: Sequence[str]) -> list[Operation]:
    return [Alias(name, alias) for alias in aliases]


def _writable(found: Entry | None, expected: int | None) -> Entry | None:
    """Return what was found. Raises EntryReadOnly for an archive, EntryChanged."""
    if found and found.kind == Entry.Kind.ARCHIVE:
        raise EntryReadOnly("the entry is an archive")
    version = found.version if found else 0
    if expected is not None and version != expected:
        raise EntryChanged(
            f"the note is in version {version}, not {expected}", detail={"version": version}
        )
    return found


def _check_size(content: str) -> None:
    if len(content.encode(errors="replace")) > CONTENT_BYTES:
        raise ContentUnfit(f"the content is longer than {CONTENT_BYTES} bytes")
