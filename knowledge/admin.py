"""What is known, for operators; lists show names and no one's words."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from audit.admin import ReadOnlyAdmin
from audit.tenancy import TenantAdmin
from knowledge.changes.review import settle, take_back
from knowledge.errors import ChangeNotWaiting, ChangesetFinal, ChangesetOvertaken, ItemChanged
from knowledge.models import (
    ApprovalPolicy,
    Arc,
    ChangeItem,
    Changeset,
    ConnectionContext,
    ContextDocument,
    Contradiction,
    Entity,
    Entry,
    EntryIndex,
    EntryName,
    Fact,
    FactCategory,
    Forgetting,
    InboxItem,
    KnowledgeDocument,
    KnowledgeIndex,
    LearnedInfo,
    Pattern,
    ProceduralProfile,
    Rule,
    SavedFact,
    Scaffold,
    ScaffoldEntry,
    Tombstone,
    UserNarrative,
)


@admin.register(KnowledgeDocument)
class KnowledgeDocumentAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "key", "owner", "language", "embedding_state", "version", "updated_at")
    list_select_related = ("owner",)
    list_filter = ("embedding_state", "owner__agent")
    search_fields = ("key",)
    exclude = ("tsv",)


@admin.register(KnowledgeIndex)
class KnowledgeIndexAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("owner", "documents", "terms")
    list_select_related = ("owner",)


@admin.register(Forgetting)
class ForgettingAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "owner", "items", "made_at", "final_at")
    list_select_related = ("owner",)
    # The person's alone, who may take it back.
    exclude = ("contents", "tombstones")


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("name", "kind", "owner", "created_at")
    list_select_related = ("owner",)
    list_filter = ("kind", "owner__agent")
    search_fields = ("name",)


@admin.register(EntryName)
class EntryNameAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("name", "entry", "owner")
    list_select_related = ("entry", "owner")
    search_fields = ("name",)


@admin.register(EntryIndex)
class EntryIndexAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("owner", "entries", "terms")
    list_select_related = ("owner",)


@admin.register(FactCategory)
class FactCategoryAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "owner", "additions", "updated_at")
    list_select_related = ("owner",)
    exclude = ("embedding",)


@admin.register(SavedFact)
class SavedFactAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "owner", "category", "source", "decay_score", "updated_at")
    exclude = ("embedding", "tsv")
    list_select_related = ("owner",)
    list_filter = ("source", "category", "owner__agent")


class LearnedAdmin(ReadOnlyAdmin):
    """What the gate let through; the words are on an item's own page alone."""

    organization = "owner__agent__organization"
    list_select_related = ("owner",)
    exclude = ("embedding",)


@admin.register(Fact)
class FactAdmin(LearnedAdmin):
    list_display = ("id", "owner", "category", "predicate", "confidence", "is_active", "created_at")
    list_filter = ("category", "predicate", "confidence", "is_quarantined", "owner__agent")


@admin.register(Entity)
class EntityAdmin(LearnedAdmin):
    list_display = ("id", "owner", "kind", "relation", "is_active", "created_at")
    list_filter = ("kind", "is_quarantined", "owner__agent")


@admin.register(Arc)
class ArcAdmin(LearnedAdmin):
    list_display = ("id", "owner", "session", "turn_count", "ended_at")
    list_filter = ("owner__agent",)


@admin.register(Rule)
class RuleAdmin(LearnedAdmin):
    list_display = ("id", "owner", "source", "confidence", "is_active", "created_at")
    list_filter = ("source", "confidence", "is_quarantined", "owner__agent")


@admin.register(ProceduralProfile)
class ProceduralProfileAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("owner", "proactive_recall_enabled", "last_consolidated_at")
    list_select_related = ("owner",)


@admin.register(Changeset)
class ChangesetAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "owner", "origin", "actor", "session", "created_at", "reverted_at")
    list_select_related = ("owner",)
    list_filter = ("origin", "owner__agent")
    date_hierarchy = "created_at"
    actions = ("revert",)

    def has_revert_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("knowledge.change_changeset")

    @admin.action(description="Revert the selected runs", permissions=["revert"])
    def revert(self, request: HttpRequest, queryset: QuerySet[Changeset]) -> None:
        """Take back the newest first: what came later goes before what it was built on."""
        for changeset in queryset.order_by("-pk"):
            try:
                take_back(changeset=changeset, actor=str(request.user))
            except (ChangesetFinal, ChangesetOvertaken) as fault:
                self.message_user(request, f"{changeset.pk}: {fault}", messages.ERROR)


@admin.register(ChangeItem)
class ChangeItemAdmin(ReadOnlyAdmin):
    organization = "changeset__owner__agent__organization"
    list_display = ("id", "changeset_id", "kind", "act", "code", "state", "confidence")
    list_filter = ("kind", "act", "state", "code")
    actions = ("approve", "reject")

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("knowledge.change_changeitem")

    @admin.action(description="Approve the selected waiting changes", permissions=["decide"])
    def approve(self, request: HttpRequest, queryset: QuerySet[ChangeItem]) -> None:
        self._decide(request, queryset, approve=True)

    @admin.action(description="Reject the selected waiting changes", permissions=["decide"])
    def reject(self, request: HttpRequest, queryset: QuerySet[ChangeItem]) -> None:
        self._decide(request, queryset, approve=False)

    def _decide(
        self, request: HttpRequest, queryset: QuerySet[ChangeItem], *, approve: bool
    ) -> None:
        for item in queryset.order_by("pk"):
            item.refresh_from_db()
            if item.state != ChangeItem.State.WAITING:
                # Decided already, perhaps with the one before: a replacement is decided as a whole.
                continue
            try:
                settle(item=item, approve=approve, actor=str(request.user))
            except (ChangeNotWaiting, ItemChanged) as fault:
                self.message_user(request, f"{item.pk}: {fault}", messages.ERROR)


@admin.register(ApprovalPolicy)
class ApprovalPolicyAdmin(TenantAdmin):
    organization = "agent__organization"
    list_display = ("agent", "owner", "category", "mode", "least_confidence")
    list_select_related = ("agent", "owner")
    list_filter = ("mode", "category", "agent")


@admin.register(Tombstone)
class TombstoneAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "owner", "kind", "created_at")
    list_select_related = ("owner",)
    list_filter = ("kind",)


class ProfilePartAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("owner", "version", "updated_at")
    list_select_related = ("owner",)
    list_filter = ("owner__agent",)


admin.site.register((UserNarrative, Scaffold, LearnedInfo), ProfilePartAdmin)


@admin.register(ScaffoldEntry)
class ScaffoldEntryAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "owner", "confidence", "channel", "is_correction", "observed_at")
    list_select_related = ("owner",)
    list_filter = ("channel", "is_correction", "owner__agent")


@admin.register(Contradiction)
class ContradictionAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "owner", "rule", "created_at")
    list_select_related = ("owner",)
    list_filter = ("rule", "owner__agent")


@admin.register(Pattern)
class PatternAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "owner", "kind", "strength", "last_seen_at")
    list_select_related = ("owner",)
    list_filter = ("kind", "owner__agent")


@admin.register(ContextDocument)
class ContextDocumentAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "owner", "context_type", "source", "embedding_state", "created_at")
    list_select_related = ("owner",)
    list_filter = ("context_type", "source", "embedding_state", "owner__agent")
    exclude = ("embedding",)


@admin.register(ConnectionContext)
class ConnectionContextAdmin(ReadOnlyAdmin):
    organization = "connection__owner__agent__organization"
    list_display = ("connection", "kind", "fetched_at", "expires_at", "error_code")
    list_select_related = ("connection",)


@admin.register(InboxItem)
class InboxItemAdmin(ReadOnlyAdmin):
    """What waits to be worked through, and what was; the words are on their own page alone."""

    organization = "owner__agent__organization"
    list_display = ("id", "owner", "received_at", "done_at", "error_code")
    list_select_related = ("owner",)
    list_filter = ("owner__agent",)
