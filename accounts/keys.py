"""Issue, check and revoke API keys."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from accounts.driver import columns, instance, look_up, width
from accounts.errors import KeyScopeUnknown
from accounts.models import Agent, ApiKey, Organization
from audit.log import record

MARK = "rk"
# Checked when no key has the prefix, so that an unknown one takes as long as a wrong one.
NOBODY = hashlib.sha512(b"").digest()
FIND = f"""
select {columns(ApiKey, "key")}, {columns(Organization, "organization")}, {columns(Agent, "agent")}
from accounts_apikey key
join accounts_organization organization on organization.id = key.organization_id
left join accounts_agent agent on agent.id = key.agent_id
where key.prefix = %s and key.revoked_at is null
  and (key.expires_at is null or key.expires_at > %s)
"""  # noqa: S608 - names of our own columns


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """`text` is the whole key: it exists here and nowhere else."""

    row: ApiKey
    text: str


@transaction.atomic
def issue_key(
    *,
    organization: Organization,
    actor: str,
    agent: Agent | None = None,
    scopes: tuple[str, ...] = ("agent",),
    name: str = "",
    days: int | None = None,
) -> IssuedKey:
    """Make a key for an agent, or an operator's key with no agent; `days` None never expires.

    Raises KeyScopeUnknown for a scope that does not exist, or `agent` without an agent.
    """
    if agent and agent.organization_id != organization.pk:
        raise KeyScopeUnknown("the agent belongs to another organization")
    allowed = ApiKey.SCOPES if agent else ("operator",)
    if not scopes or not set(scopes) <= set(allowed):
        raise KeyScopeUnknown(f"scopes must be among {', '.join(allowed)}")
    prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    row = ApiKey.objects.create(
        organization=organization,
        agent=agent,
        name=name,
        prefix=prefix,
        digest=_digest(secret),
        scopes=list(scopes),
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )
    record(actor=actor, action="key.issue", subject=prefix, detail={"scopes": " ".join(scopes)})
    return IssuedKey(row=row, text=f"{MARK}_{prefix}_{secret}")


def find_key(text: str) -> ApiKey | None:
    """Return the valid key with this text; None if there is none, it expired or was revoked."""
    mark, _, rest = text.partition("_")
    prefix, _, secret = rest.partition("_")
    if mark != MARK or not prefix.isascii() or not prefix.isalnum():
        return None
    row = _alive(prefix)
    known = bytes(row.digest) if row else NOBODY
    matches = hmac.compare_digest(known, _digest(secret))
    return row if matches else None


@transaction.atomic
def revoke_key(*, key: ApiKey, actor: str) -> None:
    """End a key from the next request on. A revoked key stays revoked."""
    changed = ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=timezone.now())
    if changed:
        record(actor=actor, action="key.revoke", subject=key.prefix)


def _alive(prefix: str) -> ApiKey | None:
    rows = look_up(FIND, (prefix, timezone.now()))
    if not rows:
        return None
    (row,) = rows
    own, shared = width(ApiKey), width(ApiKey) + width(Organization)
    key, key_organization = instance(ApiKey, row[:own]), instance(Organization, row[own:shared])
    key.organization = key_organization
    key.agent = instance(Agent, row[shared:]) if key.agent_id else None
    return key


def _digest(secret: str) -> bytes:
    # The secret is 256 random bits: a slow hash would protect nothing and cost every request.
    return hashlib.sha512(secret.encode(errors="surrogatepass")).digest()
