"""Sessions and the work, for operators: end the ones, repeat the other."""

from collections import Counter
from collections.abc import Callable

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django_q.models import Failure, OrmQ, Schedule, Success

from audit.admin import ReadOnlyAdmin
from audit.log import record
from consolidation.compaction.request import request_compaction
from consolidation.errors import JobNotOpen
from consolidation.intake.accept import end_session
from consolidation.jobs.queue import cancel, retry
from consolidation.models import (
    Candidate,
    CompactionRun,
    ContextEvent,
    DailyMeasure,
    Erasure,
    Import,
    Job,
    LearningRun,
    SynthesisRun,
    WorkerHeartbeat,
)
from consolidation.profile.failure import put_back
from memory.errors import SessionClosed
from memory.models import Session, SessionStep
from memory.models.window import Lane

# The runner's own lists would show an empty queue: jobs live in Job.
for unused in (Failure, OrmQ, Schedule, Success):
    if admin.site.is_registered(unused):
        admin.site.unregister(unused)


class StepInline(admin.TabularInline):
    model = SessionStep
    fields = ("name", "state", "error_code", "changed_at")
    readonly_fields = fields
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    """Registered here and not with the log, because to end a session is to make a job."""

    organization = "owner__agent__organization"
    list_display = (
        "id",
        "owner",
        "owner__agent",
        "external_id",
        "state",
        "end_reason",
        "opened_at",
        "ended_at",
    )
    list_filter = ("state", "end_reason", "mode", "owner__agent")
    list_select_related = ("owner__agent",)
    search_fields = ("external_id", "owner__key")
    date_hierarchy = "opened_at"
    inlines = (StepInline,)
    actions = ("end", "compact")

    def has_end_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memory.change_session")

    @admin.action(description="End the selected sessions", permissions=["end"])
    def end(self, request: HttpRequest, queryset: QuerySet[Session]) -> None:
        ended = 0
        for session in queryset:
            with transaction.atomic():
                if end_session(session=session, reason=Session.EndReason.WEB):
                    record(actor=str(request.user), action="session.end", subject=str(session.pk))
                    ended += 1
        self.message_user(request, f"Ending {ended}; the others had ended already.")

    @admin.action(description="Compact both lanes of the selected sessions", permissions=["end"])
    def compact(self, request: HttpRequest, queryset: QuerySet[Session]) -> None:
        outcomes: Counter[str] = Counter()
        for session in queryset.select_related("owner__agent__organization"):
            for lane in Lane:
                outcomes[self._compact(request, session, lane)] += 1
        told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
        self.message_user(request, f"Lanes: {told}.")

    def _compact(self, request: HttpRequest, session: Session, lane: Lane) -> str:
        try:
            with transaction.atomic():
                trigger = CompactionRun.Trigger.ADMIN
                outcome = request_compaction(session=session, lane=lane, trigger=trigger)
                record(
                    actor=str(request.user),
                    action="session.compact",
                    subject=str(session.pk),
                    detail={"lane": lane.value, "outcome": outcome.value},
                )
        except SessionClosed as fault:
            return fault.code
        return outcome.value


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "key", "state", "attempts", "last_error_code", "not_before")
    list_filter = ("state", "kind")
    search_fields = ("key",)
    actions = ("retry", "cancel")

    def has_operate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("consolidation.change_job")

    @admin.action(description="Retry the selected dead jobs", permissions=["operate"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        self._each(request, queryset, "retry", retry)

    @admin.action(description="Cancel the selected waiting jobs", permissions=["operate"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        self._each(request, queryset, "cancel", cancel)

    def _each(
        self, request: HttpRequest, jobs: QuerySet[Job], name: str, act: Callable[[Job], None]
    ) -> None:
        for job in jobs:
            try:
                with transaction.atomic():
                    act(job)
                    record(actor=str(request.user), action=f"job.{name}", subject=str(job.pk))
            except JobNotOpen as fault:
                self.message_user(request, str(fault), messages.ERROR)


@admin.register(WorkerHeartbeat)
class WorkerHeartbeatAdmin(ReadOnlyAdmin):
    list_display = ("host", "at")


@admin.register(CompactionRun)
class CompactionRunAdmin(ReadOnlyAdmin):
    """What was folded and why; the reply itself is in no list."""

    organization = "session__owner__agent__organization"
    list_display = ("id", "session_id", "lane", "strategy", "trigger", "state", "error_code")
    list_filter = ("state", "strategy", "trigger")
    date_hierarchy = "created_at"


@admin.register(Candidate)
class CandidateAdmin(ReadOnlyAdmin):
    """Every verdict of the gate; what was said is on a candidate's own page alone."""

    organization = "session__owner__agent__organization"
    list_display = ("id", "session_id", "lane", "turn", "action", "code", "state", "outcome")
    list_filter = ("lane", "action", "state", "code")
    date_hierarchy = "created_at"


@admin.register(LearningRun)
class LearningRunAdmin(ReadOnlyAdmin):
    organization = "session__owner__agent__organization"
    list_display = ("id", "session_id", "lane", "turn", "state", "error_code", "created_at")
    list_filter = ("lane", "state")


@admin.register(SynthesisRun)
class SynthesisRunAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "owner", "state", "error_code", "created_at", "finished_at")
    list_select_related = ("owner",)
    list_filter = ("state", "owner__agent")


@admin.register(ContextEvent)
class ContextEventAdmin(ReadOnlyAdmin):
    """Every observation; what was said is on its own page alone."""

    organization = "owner__agent__organization"
    list_display = (
        "id",
        "owner",
        "event_type",
        "processed",
        "attempts",
        "error_code",
        "created_at",
    )
    list_select_related = ("owner",)
    list_filter = (
        "event_type",
        "processed",
        ("set_aside_at", admin.EmptyFieldListFilter),
        "owner__agent",
    )
    actions = ("put_back",)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("consolidation.change_job")

    @admin.action(
        description="Try the selected observations that were set aside again",
        permissions=["operate"],
    )
    def put_back(self, request: HttpRequest, queryset: QuerySet[ContextEvent]) -> None:
        with transaction.atomic():
            count = put_back(queryset.values_list("pk", flat=True))
            detail: dict[str, str | int] = {"count": count}
            record(
                actor=str(request.user), action="observations.put_back", subject="", detail=detail
            )
        self.message_user(request, f"Put back {count}; the others were not set aside.")


@admin.register(DailyMeasure)
class DailyMeasureAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("day", "name", "owner", "part", "whole")
    list_select_related = ("owner",)
    list_filter = ("name", "owner__agent")
    date_hierarchy = "day"


@admin.register(Erasure)
class ErasureAdmin(ReadOnlyAdmin):
    organization = "organization"
    list_display = ("created_at", "state", "position", "finished_at", "error_code")
    list_filter = ("state",)
    date_hierarchy = "created_at"


@admin.register(Import)
class ImportAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("created_at", "owner", "state", "position", "total", "error_code")
    list_filter = ("state",)
    list_select_related = ("owner",)
    date_hierarchy = "created_at"
    exclude = ("file",)
