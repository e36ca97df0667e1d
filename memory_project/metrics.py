"""What Prometheus reads: the state of the work, counted when it asks, and the requests so far.

No label holds an id or a text.
"""

from collections.abc import Iterator

from django.db.models import Count, Min, Sum
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from accounts.credits import today
from audit.backups import last_backup
from audit.models import CostEntry
from consolidation.jobs.heartbeat import seconds_since_last
from consolidation.models import Job
from memory.models import Chunk, Event, Session
from memory_project.traffic import counted


class QueryCount:
    """Counts by query: the same whichever of several processes is asked."""

    def collect(self) -> Iterator[Metric]:
        jobs = GaugeMetricFamily("recollect_jobs", "Jobs by state", labels=["kind", "state"])
        for kind, state, count in Job.objects.values_list("kind", "state").annotate(n=Count("pk")):
            jobs.add_metric([kind, state], count)
        yield jobs
        yield _oldest()
        waiting = Chunk.objects.waiting_for_a_vector()
        failed = Chunk.objects.filter(embedding_state=Chunk.EmbeddingState.FAILED).count()
        closing = Session.objects.filter(state=Session.State.CLOSING, number=None).count()
        silence = seconds_since_last()
        yield _gauge("embedding_backlog", "Chunks that wait for a vector", waiting.count())
        yield _gauge("chunks_without_vector", "Chunks whose text gave no vector", failed)
        yield _gauge("sessions_closing", "Ended sessions that are not cut yet", closing)
        yield from _costs()
        yield _backup()
        yield _gauge("events", "Events stored", Event.objects.count())
        yield _gauge("worker_silence_seconds", "Since a worker was heard of", silence or 0.0)


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    registry = CollectorRegistry()
    registry.register(QueryCount())
    text = generate_latest(registry) + counted()
    return HttpResponse(text, content_type="text/plain; version=0.0.4")


def _costs() -> Iterator[Metric]:
    """Count the paid calls of today: the counters begin anew at midnight, in UTC."""
    labels = ["provider", "purpose", "state"]
    calls = CounterMetricFamily("recollect_paid_calls", "Paid calls of models today", labels=labels)
    cost = CounterMetricFamily(
        "recollect_cost_micro_usd", "Millionths of a dollar spent today", labels=labels
    )
    found = CostEntry.objects.filter(day=today()).values_list(*labels)
    for *names, count, micro_usd in found.annotate(n=Count("pk"), sum=Sum("micro_usd")):
        calls.add_metric(names, count)
        cost.add_metric(names, float(micro_usd))
    yield calls
    yield cost


def _backup() -> Metric:
    """Tell the age of the newest backup; where there is none there is no sample to mistake."""
    age = GaugeMetricFamily("recollect_last_backup_age_seconds", "Since the last backup was made")
    found = last_backup()
    if found is not None:
        age.add_metric([], found.age)
    return age


def _oldest() -> Metric:
    oldest = GaugeMetricFamily(
        "recollect_job_oldest_due_seconds", "Age of the oldest due job", labels=["kind"]
    )
    now = timezone.now()
    due = Job.objects.filter(state=Job.State.DUE, not_before__lte=now)
    for kind, since in due.values_list("kind").annotate(since=Min("not_before")):
        oldest.add_metric([kind], (now - since).total_seconds())
    return oldest


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"recollect_{name}", help_text, value=value)
