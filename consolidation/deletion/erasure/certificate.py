"""What proves an erasure: what went, when, what was looked at afterwards, and what stays."""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import datetime

from django.utils.crypto import salted_hmac

from accounts.models import Agent
from consolidation.deletion.places.table import APART, KEPT, PLACES, SEALED, label_of
from consolidation.models import Erasure
from memory.hashing import canonical

VERSION = 1
SALT = "recollect.erasure.certificate"


def certify(erasure: Erasure, *, verified_at: datetime) -> dict[str, object]:
    """Return the certificate with its signature; it names the person by pseudonyms alone."""
    agents = Agent.objects.filter(pk__in=erasure.agents).order_by("slug")
    content: dict[str, object] = {
        "version": VERSION,
        "erasure": str(erasure.pk),
        "organization": erasure.organization.slug,
        "agents": list(agents.values_list("slug", flat=True)),
        "persons": list(erasure.pseudonyms),
        "started_at": erasure.created_at.isoformat(),
        "verified_at": verified_at.isoformat(),
        "erased": dict(sorted(erasure.counts.items())),
        "verified": {"tables": [place.label for place in PLACES], "left": 0},
        "kept": _kept(),
    }
    return content | {"signature": signature_of(content)}


def signature_of(content: Mapping[str, object]) -> str:
    """Return the keyed digest of a certificate without its signature."""
    return salted_hmac(SALT, canonical(content), algorithm="sha256").hexdigest()


def is_genuine(certificate: Mapping[str, object]) -> bool:
    """Say whether this installation wrote the certificate, and nobody changed it since."""
    content = {name: value for name, value in certificate.items() if name != "signature"}
    return hmac.compare_digest(str(certificate.get("signature", "")), signature_of(content))


def hash_of(certificate: Mapping[str, object]) -> str:
    return hashlib.sha256(canonical(certificate)).hexdigest()


def _kept() -> dict[str, str]:
    emptied = {
        place.label: "emptied: ids, times and hashes stay" for place in PLACES if place.emptied
    }
    others = {label_of(model): why for model, why in {**APART, **KEPT}.items()}
    return {**emptied, **others, **SEALED}
