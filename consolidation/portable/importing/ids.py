"""New ids for what comes in: the same each time, in the order of the old ones, and nobody else's."""

import hashlib
from collections.abc import Iterable, Mapping
from uuid import UUID

from accounts.models import Owner

# Of an id: what says when it was made, so that what is new comes after what is old.
WHEN = 8
VARIANT = 0x80


class Ids:
    """The ids of rows of a file, as they are here.

    A row that the person has under its own id keeps it: the file was made from this very memory.
    """

    def __init__(self, owner: Owner) -> None:
        self._owner = owner.pk
        self._known: set[UUID] = set()
        self.references: dict[str, str] = {}

    def keep(self, known: Iterable[UUID]) -> None:
        self._known.update(known)

    def of(self, old: UUID) -> UUID:
        if old in self._known:
            return old
        rest = hashlib.sha256(f"{self._owner}:{old}".encode()).digest()[:WHEN]
        variant = bytes([rest[0] & 0x3F | VARIANT]) + rest[1:]
        return UUID(bytes=old.bytes[:WHEN] + variant)

    def within(self, value: object) -> object:
        """Return a value with the ids in it renewed: an id, the text of one, or a list of them."""
        if isinstance(value, list | tuple):
            return [self.within(one) for one in value]
        if isinstance(value, UUID):
            return self.of(value)
        if isinstance(value, str):
            return self._text(value)
        return value

    def in_metadata(self, data: Mapping[str, object]) -> dict[str, object]:
        """Return an object with the ids under names that say so renewed."""
        return {
            name: self.within(value) if name.endswith("_id") else value
            for name, value in data.items()
        }

    def reference(self, old: str) -> str:
        """Return the reference of an event of the file; of any other, what was told."""
        return self.references.get(old, old)

    def _text(self, value: str) -> str:
        try:
            return str(self.of(UUID(value)))
        except ValueError:
            return value
