"""What is known, for operators; lists show names and no one's words."""

from django.contrib import admin

from audit.admin import ReadOnlyAdmin
from audit.tenancy import TenantAdmin
from knowledge.models import (
    ApprovalPolicy,
    Arc,
    ChangeItem,
    Changeset,
    Entry,
    EntryName,
    Fact,
    KnowledgeDocument,
    KnowledgeIndex,
    ProceduralProfile,
    Rule,
    SavedFact,
    Tombstone,
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


@admin.register(SavedFact)
class SavedFactAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("id", "owner", "category", "source", "updated_at")
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


@admin.register(ChangeItem)
class ChangeItemAdmin(ReadOnlyAdmin):
    organization = "changeset__owner__agent__organization"
    list_display = ("id", "changeset_id", "kind", "act", "code", "state", "confidence")
    list_filter = ("kind", "act", "state", "code")


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
