"""The jobs of the installation: what each is about, and retry or cancel."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from consolidation.job_kinds import KINDS
from consolidation.jobs.queue import cancel, retry
from consolidation.models import Job
from inspector.console.acts import operate
from inspector.console.asked import rows_of
from inspector.console.door import keeper, may
from inspector.console.meanings import of_error
from inspector.http import PageRequest


@require_GET
@keeper
def job_list(request: PageRequest) -> HttpResponse:
    """Show the jobs, newest first, by state and kind."""
    state, kind = request.GET.get("state", ""), request.GET.get("kind", "")
    found = Job.objects.all()
    if state in Job.State.values:
        found = found.filter(state=state)
    if kind in KINDS:
        found = found.filter(kind=kind)
    listed = rows_of(found, request.GET.get("before", ""))
    context = {
        "section": "jobs",
        "state": state,
        "states": Job.State.values,
        "kind": kind,
        "kinds": sorted(KINDS),
        "listed": listed,
        "jobs": [
            (job, of_error(job.last_error_code)) for job in listed.rows if isinstance(job, Job)
        ],
    }
    return render(request, "console/jobs.html", context)


@require_POST
@keeper
def job_retry(request: PageRequest, job: int) -> HttpResponse:
    may(request, "consolidation.change_job")
    operate(request, get_object_or_404(Job, pk=job), "retry", retry)
    return redirect("console-jobs")


@require_POST
@keeper
def job_cancel(request: PageRequest, job: int) -> HttpResponse:
    may(request, "consolidation.change_job")
    operate(request, get_object_or_404(Job, pk=job), "cancel", cancel)
    return redirect("console-jobs")
