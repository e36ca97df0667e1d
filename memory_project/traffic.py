"""Requests, counted where they pass. No label holds an id: a route is named by its pattern.

With PROMETHEUS_MULTIPROC_DIR set, as `make up` sets it, the processes keep their counts in files
of that folder, and whichever is asked adds them up.
"""

import os
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from accounts.sealed.counts import SEALED

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
OWN = CollectorRegistry()
REQUESTS = Counter(
    "recollect_requests", "Requests answered", ["route", "method", "status"], registry=OWN
)
SECONDS = Histogram(
    "recollect_request_seconds",
    "Time to answer",
    ["route", "method"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
    registry=OWN,
)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class CountRequests:
    """Count each request by its route, its method and the class of its status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = time.perf_counter()
        response = self.get_response(request)
        # What no route matches, and what is a file, would be a label for every address.
        route = f"/{request.resolver_match.route}" if request.resolver_match else "none"
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(route, method, f"{response.status_code // 100}xx").inc()
        SECONDS.labels(route, method).observe(time.perf_counter() - begun)
        return response


def counted() -> bytes:
    """Return the counts of all processes, as Prometheus reads them."""
    if FOLDER not in os.environ:
        return generate_latest(OWN) + generate_latest(SEALED)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the package is half typed
    return generate_latest(registry)
