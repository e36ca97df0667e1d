"""The work, for operators: what waits, what died, and how to repeat it."""

from collections.abc import Callable

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django_q.models import Failure, OrmQ, Schedule, Success

from audit.admin import ReadOnlyAdmin
from audit.log import record
from consolidation.errors import JobNotOpen
from consolidation.models import Job, WorkerHeartbeat
from consolidation.queue import cancel, retry

# The runner's own lists would show an empty queue: jobs live in Job.
for unused in (Failure, OrmQ, Schedule, Success):
    if admin.site.is_registered(unused):
        admin.site.unregister(unused)


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "key", "state", "attempts", "last_error_code", "not_before")
    list_filter = ("state", "kind")
    search_fields = ("key",)
    actions = ("retry", "cancel")

    @admin.action(description="Retry the selected dead jobs")
    def retry(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        self._each(request, queryset, "retry", retry)

    @admin.action(description="Cancel the selected waiting jobs")
    def cancel(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        self._each(request, queryset, "cancel", cancel)

    def _each(
        self, request: HttpRequest, jobs: QuerySet[Job], name: str, act: Callable[[Job], None]
    ) -> None:
        for job in jobs:
            try:
                act(job)
            except JobNotOpen as fault:
                self.message_user(request, str(fault), messages.ERROR)
            else:
                record(actor=str(request.user), action=f"job.{name}", subject=str(job.pk))


@admin.register(WorkerHeartbeat)
class WorkerHeartbeatAdmin(ReadOnlyAdmin):
    list_display = ("host", "at")
