"""What is known, for operators; lists show names and no one's words."""

from django.contrib import admin

from audit.admin import ReadOnlyAdmin
from knowledge.models import Entry, EntryName, KnowledgeDocument, KnowledgeIndex, SavedFact


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
