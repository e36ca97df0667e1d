"""Be the one role that may read what is sealed, for as long as it takes."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from accounts.roles import Role, ready_role

BECOME = """
select before, set_config('role', coalesce(%s, before), true)
from (select current_setting('role') before offset 0) found
"""


@contextmanager
def as_auditor() -> Iterator[None]:
    """Act as the auditor in a transaction; as ourselves where the database lets us make no role."""
    with transaction.atomic():
        before = _become(ready_role(Role.AUDIT))
        yield
        # A transaction around this one goes on as itself; a failure undoes all by rolling back.
        _become(before)


def _become(role: str | None) -> str:
    """Return the role before; None changes nothing."""
    with connection.cursor() as cursor:
        cursor.execute(BECOME, (role,))
        before: tuple[str, str] = cursor.fetchone()
    return before[0]
