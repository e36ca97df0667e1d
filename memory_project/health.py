"""For machines: whether the process lives, and whether it may get requests."""

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memory_project.diagnosis import READY, examine


@never_cache
@require_safe
def live(request: HttpRequest) -> JsonResponse:
    """Touches nothing: a database that blinks must not get healthy processes killed."""
    return JsonResponse({"status": "live"})


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    try:
        findings = examine(READY)
    except DatabaseError:
        return JsonResponse({"status": "not ready", "checks": {"database": False}}, status=503)
    checks = {finding.name: finding.is_ok for finding in findings}
    is_ready = all(checks.values())
    status = "ready" if is_ready else "not ready"
    return JsonResponse({"status": status, "checks": checks}, status=200 if is_ready else 503)
