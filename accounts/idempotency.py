"""Do a write once per key, however often it is asked for."""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from uuid import UUID

from django.conf import settings

from accounts.errors import IdempotencyConflict
from accounts.models import Agent, IdempotencyKey


def fingerprint(*parts: bytes) -> bytes:
    """Return a keyed digest of a request: equal requests agree, and the row gives no text away."""
    digest = hmac.new(settings.PSEUDONYM_KEY.encode(), digestmod=hashlib.sha256)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


def once(
    *, agent: Agent, key: str | None, request: bytes, write: Callable[[], Sequence[UUID]]
) -> tuple[list[UUID], bool]:
    """Run `write` and remember its ids under `key`, or return those remembered.

    Runs in the caller's transaction. The second value is true for a repetition. Without a key the
    write is simply done. A twin that is still running makes this call wait for its end. Raises
    IdempotencyConflict when the key was used for another request.
    """
    if key is None:
        return list(write()), False
    claimed = IdempotencyKey(agent=agent, key=key, fingerprint=request, resources=[])
    # The unique index makes a concurrent twin wait here until the transaction ends.
    IdempotencyKey.objects.bulk_create([claimed], ignore_conflicts=True)
    row = IdempotencyKey.objects.select_for_update().get(agent=agent, key=key)
    if not hmac.compare_digest(bytes(row.fingerprint), request):
        raise IdempotencyConflict("this Idempotency-Key belongs to another request")
    if row.resources:
        return list(row.resources), True
    row.resources = list(write())
    row.save(update_fields=["resources"])
    return row.resources, False
