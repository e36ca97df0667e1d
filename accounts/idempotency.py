"""Do a write once per key, however often it is asked for."""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from uuid import UUID

from django.conf import settings

from accounts.driver import run
from accounts.errors import IdempotencyConflict
from accounts.models import Agent

# The unique index makes a concurrent twin wait here until the transaction ends.
CLAIM = """
insert into accounts_idempotencykey (agent_id, key, fingerprint, resources, created_at)
values (%s, %s, %s, '{}', now()) on conflict (agent_id, key) do nothing returning id
"""
KNOWN = (
    "select fingerprint, resources from accounts_idempotencykey where agent_id = %s and key = %s"
)
REMEMBER = "update accounts_idempotencykey set resources = %s where id = %s"


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
    claimed = run(CLAIM, (agent.pk, key, request))
    if not claimed:
        return _remembered(agent, key, request), True
    ids = list(write())
    run(REMEMBER, (ids, claimed[0][0]))
    return ids, False


def _remembered(agent: Agent, key: str, request: bytes) -> list[UUID]:
    ((known, resources),) = run(KNOWN, (agent.pk, key))
    if not hmac.compare_digest(known, request):
        raise IdempotencyConflict("this Idempotency-Key belongs to another request")
    return list(resources)
