from django.contrib import admin

from audit.admin import ReadOnlyAdmin
from recall.models import GoldenQuestion, Receipt


@admin.register(Receipt)
class ReceiptAdmin(ReadOnlyAdmin):
    """What was asked is someone's words: it stays out of the list."""

    organization = "owner__agent__organization"
    list_display = ("created_at", "kind", "owner", "profile", "searched_by", "degraded", "tokens")
    list_filter = ("kind", "profile", "searched_by")
    list_select_related = ("owner",)
    date_hierarchy = "created_at"


@admin.register(GoldenQuestion)
class GoldenQuestionAdmin(ReadOnlyAdmin):
    organization = "owner__agent__organization"
    list_display = ("created_at", "owner", "actor", "receipt")
    list_select_related = ("owner", "receipt")
    date_hierarchy = "created_at"
