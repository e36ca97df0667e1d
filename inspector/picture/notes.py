"""The page of what agents keep by hand of a person: notes, saved facts, what they know of tools."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.models import Connection
from accounts.owners import scope_of
from inspector.http import PageRequest
from inspector.paging import ROWS, page_of
from inspector.picture.files import files_about, text_about
from inspector.picture.reading import tools_of
from inspector.whose import note_look, owner_for
from knowledge.models import Entry, SavedFact

MOST_DIGITS = 10


@require_GET
@never_cache
@login_required
def notes_page(request: PageRequest, owner: int) -> HttpResponse:
    """Show notes, summaries of folded conversations, saved facts, and what is known of tools."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, "notes")
    scope = scope_of(found.agent, owner=found.pk)
    entries = Entry.objects.within(scope).order_by("kind", "-number")
    saved = SavedFact.objects.within(scope).order_by("-decay_score", "key")
    number = _place_of(entries, request.GET.get("note", "")) or request.GET.get("page")
    mine = Connection.objects.filter(owner=found)
    name, files = request.GET.get("file", ""), files_about(found)
    context = {
        "owner": found,
        "tab": "notes",
        "page": page_of(entries, str(number or "")),
        "saved": _shown(saved, request.GET.get("saved", "")),
        "saved_count": saved.count(),
        "tools": tools_of(list(mine.order_by("tool", "name"))),
        "files": files,
        "file_name": name,
        "file_text": text_about(found, name, files),
    }
    return render(request, "picture/notes.html", context)


def _place_of(entries: QuerySet[Entry], number: str) -> int | None:
    """Return the page on which the note of a number stands; None for no such note."""
    if not (number.isascii() and number.isdigit() and len(number) < MOST_DIGITS):
        return None
    found = entries.filter(number=int(number)).first()
    if found is None:
        return None
    before = Q(kind__lt=found.kind) | Q(kind=found.kind, number__gt=found.number)
    return entries.filter(before).count() // ROWS + 1


def _shown(saved: QuerySet[SavedFact], wanted: str) -> list[SavedFact]:
    """Return the saved facts that are shown: the one that is looked for, and the most salient."""
    try:
        first = list(saved.filter(pk=UUID(wanted))) if wanted else []
    except ValueError:
        first = []
    return [*first, *(one for one in saved[:ROWS] if one not in first)]
