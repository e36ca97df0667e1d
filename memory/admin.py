"""Logs and their chunks, for operators; lists show no one's words."""

from django.contrib import admin

from audit.admin import ReadOnlyAdmin
from memory.models import (
    Chunk,
    CompactMarker,
    Embedding,
    EmbeddingSpace,
    Event,
    LaneWindow,
    OwnerIndex,
    Posting,
    ReferenceSummary,
    SessionStep,
    Snapshot,
    Term,
)


@admin.register(SessionStep)
class SessionStepAdmin(ReadOnlyAdmin):
    organization = "session__owner__agent__organization"
    list_display = ("session_id", "name", "state", "error_code", "changed_at")
    list_filter = ("name", "state")


@admin.register(LaneWindow)
class LaneWindowAdmin(ReadOnlyAdmin):
    organization = "session__owner__agent__organization"
    list_display = ("session_id", "lane", "start_seq", "last_seq", "calibration")
    list_filter = ("lane",)
    fields = ("session", "lane", "start_seq", "kept", "last_seq", "calibration", "flush_armed")


@admin.register(ReferenceSummary)
class ReferenceSummaryAdmin(ReadOnlyAdmin):
    organization = "window__session__owner__agent__organization"
    list_display = ("window", "version", "updated_at")
    list_select_related = ("window",)


@admin.register(CompactMarker)
class CompactMarkerAdmin(ReadOnlyAdmin):
    organization = "session__owner__agent__organization"
    list_display = ("archive_name", "session_id", "lane", "number", "seq", "archived_at")
    list_filter = ("lane",)
    ordering = ("-archived_at",)


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnlyAdmin):
    organization = "session__owner__agent__organization"
    list_display = ("session_id", "is_final", "taken_at")
    list_filter = ("is_final",)
    date_hierarchy = "taken_at"


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    """The log: it is read, and never written here."""

    organization = "owner__agent__organization"
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
    organization = "owner__agent__organization"
    list_display = ("id", "owner_id", "number", "kind", "tier", "language", "embedding_state")
    list_filter = ("tier", "kind", "embedding_state", "language")
    exclude = ("tsv",)
    show_full_result_count = False


@admin.register(OwnerIndex)
class OwnerIndexAdmin(ReadOnlyAdmin):
    """The index rows have composite keys, which have no pages here: they are counted instead.

    They are counted on an owner's own page only, because a list would count millions.
    """

    organization = "owner__agent__organization"
    list_display = ("owner", "chunks", "chunk_terms", "sessions", "session_terms", "graph_space")
    list_select_related = ("owner",)
    search_fields = ("owner__key",)
    readonly_fields = ("postings", "terms", "vectors")

    @admin.display(description="Rows of postings")
    def postings(self, index: OwnerIndex) -> int:
        return Posting.objects.filter(owner_id=index.owner_id).count()

    @admin.display(description="Rows of terms")
    def terms(self, index: OwnerIndex) -> int:
        return Term.objects.filter(owner_id=index.owner_id).count()

    @admin.display(description="Vectors")
    def vectors(self, index: OwnerIndex) -> int:
        return Embedding.objects.filter(owner_id=index.owner_id).count()


@admin.register(EmbeddingSpace)
class EmbeddingSpaceAdmin(ReadOnlyAdmin):
    list_display = ("model", "version", "dimension", "state", "state_since", "created_at")
