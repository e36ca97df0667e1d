"""Runs of a model: the reply is pinned, the failure noted, and a provider's error met in one way."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.utils import timezone

from consolidation.jobs import heartbeat
from consolidation.jobs.backoff import postponed
from consolidation.jobs.queue import Attempt, holding
from consolidation.models.run import ModelRun
from providers.errors import ProviderRefused, ProviderUnavailable


@contextmanager
def asking(*, refusal_counts: bool = False) -> Iterator[None]:
    """Turn a provider that cannot answer now into a job that waits. Raises Postponed.

    `refusal_counts` says whether a refusal is one of the job's attempts. What the provider makes
    of this one task, RequestRejected and ReplyMalformed, goes through.
    """
    try:
        yield
    except (ProviderUnavailable, ProviderRefused) as error:
        raise postponed(error, refusal_counts=refusal_counts) from error


def pin(job: Attempt, *runs: ModelRun, reply: Mapping[str, object], state: str) -> None:
    """Keep what has been answered so far, and lengthen the lease. Raises LeaseLost."""
    with holding(job):
        for run in runs:
            run.reply, run.state = reply, state
            run.save(update_fields=["reply", "state"])
    heartbeat.beat()


def note(run: ModelRun, code: str) -> None:
    """Say in a run why it waits, in the caller's transaction."""
    run.error_code = code
    run.save(update_fields=["error_code"])


def end(run: ModelRun, state: str, code: str = "") -> None:
    """End a run, in the caller's transaction. Its reply goes: what was made of it stays."""
    run.state, run.error_code, run.reply = state, code, None
    run.finished_at = timezone.now()
    run.save(update_fields=["state", "error_code", "reply", "finished_at"])
