"""Acts of an operator, each with its row in the audit."""

from collections.abc import Callable

from django.contrib import messages
from django.db import transaction

from audit.log import record
from consolidation.errors import JobNotOpen
from consolidation.models import Job
from inspector.http import PageRequest


def operate(request: PageRequest, job: Job, name: str, act: Callable[[Job], None]) -> None:
    """Retry or cancel a job, and say how it went."""
    try:
        with transaction.atomic():
            act(job)
            record(actor=str(request.user), action=f"job.{name}", subject=str(job.pk))
    except JobNotOpen as fault:
        messages.error(request, f"{str(fault).capitalize()}.")
    else:
        said = "is due again" if name == "retry" else "was taken out"
        messages.success(request, f"Job {job.pk} {said}.")
