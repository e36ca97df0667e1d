"""How long a job waits for a chat model: for one call, and until the next try."""

from django.conf import settings

from consolidation.errors import Postponed
from providers.errors import ProviderRefused, ProviderUnavailable

# A whole call fits into the lease, which the pin after it lengthens again.
LEASE_SHARE = 0.75
# Nothing gets better by itself: look again when an operator may have mended it.
REFUSED_SECONDS = 300.0


def call_seconds() -> float:
    """Return the longest that one call of a job may take."""
    return settings.JOB_LEASE_SECONDS * LEASE_SHARE


def postponed(
    error: ProviderUnavailable | ProviderRefused, *, refusal_counts: bool = False
) -> Postponed:
    """Return what puts a job off until the provider may answer.

    `refusal_counts` says whether a refusal is one of its attempts.
    """
    if isinstance(error, ProviderUnavailable):
        return Postponed(error.code, seconds=error.retry_after, counts=error.counts_as_attempt)
    return Postponed(error.code, seconds=REFUSED_SECONDS, counts=refusal_counts)
