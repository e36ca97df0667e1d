"""The addresses of a person's picture and of the notes about them."""

from django.urls import path

from inspector.picture import learned, looking, note_acts, notes, pages, tools

urlpatterns = [
    path("profile/", pages.profile_page, name="memory-profile"),
    path("profile/change", pages.change, name="memory-profile-change"),
    path("profile/forget", pages.forget, name="memory-profile-forget"),
    path("timeline/", looking.timeline_page, name="memory-timeline"),
    path("preview/", looking.preview_page, name="memory-preview"),
    path("notes/", notes.notes_page, name="memory-notes"),
    path("notes/write", note_acts.write, name="memory-note-write"),
    path("notes/forget", note_acts.forget, name="memory-note-forget"),
    path("notes/facts/<uuid:fact>/forget", note_acts.forget_fact, name="memory-saved-forget"),
    path("learned/", learned.learned_page, name="memory-learned"),
    path("learned/<uuid:document>/correct", learned.correct, name="memory-learned-correct"),
    path("learned/<uuid:document>/forget", learned.forget, name="memory-learned-forget"),
    path("connections/<uuid:connection>/forget", tools.forget, name="memory-tool-forget"),
    path("connections/<uuid:connection>/switch", tools.switch, name="memory-tool-switch"),
    path("connections/<uuid:connection>/change", tools.change, name="memory-tool-change"),
]
