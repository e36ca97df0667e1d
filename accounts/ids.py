"""Public ids: UUIDv7, made by the application, sortable by time and never reused."""

from uuid import UUID

from uuid_utils.compat import uuid7


def new_id() -> UUID:
    return uuid7()
