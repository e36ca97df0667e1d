"""Content to hash: canonical JSON, salted commitment, chained event hash."""

import hashlib
import json
from uuid import UUID

FIRST = b"\x00" * 32
# Made once: `json.dumps` makes an encoder for each call that sorts.
_ENCODE = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def canonical(payload: object) -> bytes:
    """Return the one JSON text of a value: sorted keys, UTF-8, no spaces."""
    return _ENCODE(payload).encode()


def commitment(salt: bytes, payload: object) -> bytes:
    """Bind a payload without giving it away: with the salt erased, guessing the text proves nothing."""
    return bind(salt, canonical(payload))


def bind(salt: bytes, content: bytes) -> bytes:
    """Return the commitment to a payload whose canonical text is known already."""
    return hashlib.sha256(salt + content).digest()


def event_hash(
    *, session: UUID, lane: str, seq: int, kind: str, commitment: bytes, prev_hash: bytes
) -> bytes:
    """Return SHA-256 over the place of an event, its commitment and the hash before it.

    `prev_hash` is 32 zero bytes for the first event of a lane.
    """
    place = canonical([str(session), lane, seq, kind])
    return hashlib.sha256(place + commitment + prev_hash).digest()


def reference(event: bytes) -> str:
    """Return the public form of an event's hash, shaped `ev-` and 32 hexadecimal digits."""
    return f"ev-{event.hex()[:32]}"
