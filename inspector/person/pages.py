"""Pages on which nothing changes: what is remembered, and where it is from."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from inspector.http import PageRequest, wants_part
from inspector.overview import asked_for, called
from inspector.paging import page_of
from inspector.person.finding import asked_words, find
from inspector.person.reading import (
    LAYERS,
    STATES,
    WAITING,
    asked,
    cards,
    held,
    history,
    items,
    lines_around,
    rows_of,
)
from inspector.whose import note_look, owner_for, visible_owners
from knowledge.overview import overview

NEWEST = 5


@require_GET
@never_cache
@login_required
def choose(request: PageRequest) -> HttpResponse:
    """Show whose memory there is to see; the only one at once."""
    words = asked_for(request.GET.get("q", ""))
    owners = called(visible_owners(request.user), words).order_by("-pk")
    page = page_of(owners, request.GET.get("page"), is_search=bool(words))
    if page.paginator.count == 1 and not words and not request.user.is_staff:
        return redirect("memory-overview", owner=page[0].pk)
    return render(request, "person/choose.html", {"page": page, "words": words})


@require_GET
@never_cache
@login_required
def overview_page(request: PageRequest, owner: int) -> HttpResponse:
    """Show how much is remembered, what is new, and what waits for the person."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, "overview")
    newest = [
        one
        for layer in LAYERS
        for one in cards(
            found, layer, list(rows_of(found, layer).active().order_by("-pk")[:NEWEST])
        )
    ]
    context = {
        "owner": found,
        "tab": "overview",
        "counts": overview(found),
        "newest": sorted(newest, key=lambda one: one.learned_at, reverse=True)[:NEWEST],
        "held": held(found),
        "asked": asked(found),
    }
    return render(request, "person/overview.html", context)


@require_GET
@never_cache
@login_required
@vary_on_headers("HX-Request")
def search_page(request: PageRequest, owner: int) -> HttpResponse:
    """Search all that is remembered; htmx asks for what was found alone, while somebody types."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, "search")
    words = request.GET.get("q", "")
    context = {
        "owner": found,
        "tab": "search",
        "words": words,
        "is_asked": bool(asked_words(words)),
        "places": find(found, words),
    }
    template = "person/search.html" + ("#found" if wants_part(request) else "")
    return render(request, template, context)


@require_GET
@never_cache
@login_required
@vary_on_headers("HX-Request")
def item_list(request: PageRequest, owner: int, layer: str) -> HttpResponse:
    """List facts, sessions or rules; htmx asks for the list alone, while somebody types."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, layer)
    words, state = request.GET.get("q", ""), request.GET.get("state", STATES[0])
    state = state if state in STATES else STATES[0]
    rows = items(found, layer, state=state, words=words)
    page = page_of(rows, request.GET.get("page"), is_search=bool(asked_for(words)))
    context = {
        "owner": found,
        "tab": layer,
        "layer": layer,
        "page": page,
        "cards": cards(found, layer, list(page)),
        "words": words,
        "state": state,
        "states": STATES,
        "held": held(found, layer) if state == WAITING else [],
        "asked": asked(found, layer) if state == WAITING else [],
    }
    template = "person/items.html" + ("#list" if wants_part(request) else "")
    return render(request, template, context)


@require_GET
@never_cache
@login_required
def item_page(request: PageRequest, owner: int, layer: str, item: UUID) -> HttpResponse:
    """Show one item: what it is from, the lines around that, and what became of it since."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, layer)
    row = get_object_or_404(rows_of(found, layer), pk=item)
    (one,) = cards(found, layer, [row])
    context = {
        "owner": found,
        "tab": layer,
        "layer": layer,
        "card": one,
        "item": row,
        "lines": lines_around(found, row),
        "steps": history(found, row, str(request.user)),
        "heir": rows_of(found, layer).filter(pk=_uuid(row.superseded_by)).first(),
    }
    return render(request, "person/item.html", context)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
