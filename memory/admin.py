"""Sessions, their logs and their chunks, for operators; lists show no one's words."""

from django.contrib import admin

from audit.admin import ReadOnlyAdmin
from memory.models import Chunk, EmbeddingSpace, Event, LaneWindow, OwnerIndex, Session, SessionStep


class StepInline(admin.TabularInline):
    model = SessionStep
    fields = ("name", "state", "error_code", "changed_at")
    readonly_fields = fields
    extra = 0
    can_delete = False

    def has_add_permission(self, request: object, obj: object = None) -> bool:
        return False


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    list_display = ("id", "owner", "external_id", "state", "end_reason", "opened_at", "ended_at")
    list_filter = ("state", "mode", "strategy")
    list_select_related = ("owner",)
    search_fields = ("external_id", "owner__key")
    date_hierarchy = "opened_at"
    inlines = (StepInline,)


@admin.register(SessionStep)
class SessionStepAdmin(ReadOnlyAdmin):
    list_display = ("session_id", "name", "state", "error_code", "changed_at")
    list_filter = ("name", "state")


@admin.register(LaneWindow)
class LaneWindowAdmin(ReadOnlyAdmin):
    list_display = ("session_id", "lane", "last_seq")
    list_filter = ("lane",)
    fields = ("session", "lane", "last_seq")


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    """The log: it is read, and never written here."""

    list_display = ("reference", "session_id", "lane", "seq", "type", "tokens", "committed_at")
    list_filter = ("lane", "type")
    fields = (
        "session",
        "lane",
        "seq",
        "type",
        "payload",
        "tool_call_id",
        "skill_phase",
        "tokens",
        "occurred_at",
    )
    date_hierarchy = "committed_at"
    show_full_result_count = False


@admin.register(Chunk)
class ChunkAdmin(ReadOnlyAdmin):
    list_display = ("id", "owner_id", "number", "kind", "tier", "language", "embedding_state")
    list_filter = ("tier", "kind", "embedding_state", "language")
    exclude = ("tsv",)
    show_full_result_count = False


@admin.register(OwnerIndex)
class OwnerIndexAdmin(ReadOnlyAdmin):
    list_display = ("owner", "chunks", "chunk_terms", "sessions", "session_terms", "graph_space")
    list_select_related = ("owner",)


@admin.register(EmbeddingSpace)
class EmbeddingSpaceAdmin(ReadOnlyAdmin):
    list_display = ("model", "version", "dimension", "created_at")
