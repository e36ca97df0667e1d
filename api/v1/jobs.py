"""Jobs: an operator sees the work of their organization, and repeats or cancels it."""

from collections.abc import Callable

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.authentication import caller_of
from api.pagination import page
from api.permissions import IsOperator
from api.v1.fields import Page
from audit.log import record
from consolidation.jobs import queue
from consolidation.jobs.owners import jobs_of
from consolidation.models import Job

STATES = {
    "open": Job.OPEN,
    "dead": (Job.State.DEAD,),
    "done": (Job.State.DONE, Job.State.CANCELLED),
}
ACTIONS: dict[str, Callable[[Job], None]] = {"retry": queue.retry, "cancel": queue.cancel}


class JobPage(Page):
    state = serializers.ChoiceField(choices=list(STATES), default="open")

    def validate_after(self, value: str) -> int | None:
        if value and not (value.isascii() and value.isdigit() and len(value) <= 18):
            raise serializers.ValidationError("the cursor is the `next` of the page before")
        return int(value) if value else None


class JobList(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(parameters=[JobPage])
    def get(self, request: Request) -> Response:
        """List the organization's jobs, newest first; those of the installation are the console's."""
        query = JobPage(data=request.query_params)
        query.is_valid(raise_exception=True)
        asked = query.validated_data
        mine = jobs_of(caller_of(request).organization.pk)
        rows = mine.filter(state__in=STATES[asked["state"]]).order_by("-pk")
        if asked["after"] is not None:
            rows = rows.filter(pk__lt=asked["after"])
        found, has_more = page(list(rows[: asked["limit"] + 1]), asked["limit"])
        after = str(found[-1].pk) if has_more else None
        return Response({"results": [_shown(job) for job in found], "next": after})


class JobAction(APIView):
    permission_classes = (IsOperator,)

    @extend_schema(request=None)
    def post(self, request: Request, job: int, action: str) -> Response:
        """Retry a dead job, or cancel one that waits."""
        mine = jobs_of(caller_of(request).organization.pk)
        found: Job = get_object_or_404(mine, pk=job)
        ACTIONS[action](found)
        record(actor=caller_of(request).name, action=f"job.{action}", subject=str(found.pk))
        found.refresh_from_db()
        return Response(_shown(found))


def _shown(job: Job) -> dict[str, object]:
    names = ("kind", "key", "subject", "state", "attempts", "max_attempts", "not_before")
    shown = {name: getattr(job, name) for name in names}
    code = job.last_error_code or None
    return {"id": job.pk, **shown, "last_error_code": code, "finished_at": job.finished_at}
