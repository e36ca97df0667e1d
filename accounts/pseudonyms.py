"""The one way from an id to what stands for it in sealed records: keyed, and never the way back."""

import hashlib
import hmac
from uuid import UUID

from django.conf import settings

from accounts.models import Owner

# Stands for a session that nobody named, or that may no longer be told from another.
NOBODY = "no session"


def session_pseudonym(session: UUID | None) -> str:
    """Return 64 hexadecimal digits; of a fixed placeholder where there is no session."""
    return _keyed("session", str(session) if session else NOBODY)


def person_pseudonym(owner: Owner) -> str | None:
    """Return what stands for a person as one agent knows them; None where the owner is no person."""
    return _keyed("person", str(owner.pk)) if owner.kind == Owner.Kind.USER else None


def scoped_id(session: UUID, given: UUID) -> UUID:
    """Return the id of what a client named within a session: no other session can name it."""
    return UUID(hex=_keyed("record", f"{session} {given}")[:32])


def _keyed(kind: str, text: str) -> str:
    key = settings.PSEUDONYM_KEY.encode()
    return hmac.new(key, f"{kind} {text}".encode(), hashlib.sha256).hexdigest()
