"""One function per page."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from consolidation.intake.accept import end_session
from inspector.http import PageRequest, wants_part
from inspector.lines import line_asked, page_of_line
from inspector.overview import EventLine, asked_for, named, visible_sessions, with_counts, work_for
from inspector.paging import page_of
from inspector.whose import note_look, note_looks
from memory.events import verify_chain
from memory.models import Chunk, Event, Session


@require_GET
@never_cache
@login_required
@vary_on_headers("HX-Request")
def session_list(request: PageRequest) -> HttpResponse:
    """Show the sessions, newest first; htmx asks for the table alone."""
    state, words = request.GET.get("state", ""), request.GET.get("q", "")
    sessions = named(with_counts(visible_sessions(request.user)), words).order_by("-pk")
    if state in Session.State.values:
        sessions = sessions.filter(state=state)
    template = "inspector/session_list.html" + ("#rows" if wants_part(request) else "")
    page = page_of(sessions, request.GET.get("page"), is_search=bool(asked_for(words)))
    note_looks(request.user, {one.owner_id for one in page}, "sessions")
    context = {
        "page": page,
        "state": state,
        "states": Session.State.values,
        "words": words,
        "work": work_for(request.user),
    }
    return render(request, template, context)


@require_GET
@never_cache
@login_required
@vary_on_headers("HX-Request")
def session_detail(request: PageRequest, session: UUID) -> HttpResponse:
    """Show one session: how far its end has come, and its log or the chunks it is found by."""
    found = get_object_or_404(with_counts(visible_sessions(request.user)), pk=session)
    note_look(request.user, found.owner, "session")
    context = {"session": found, "steps": found.steps.all(), "work": work_for(request.user)}
    if wants_part(request):
        return render(request, "inspector/session_detail.html#state", context)
    if request.GET.get("show") == "chunks":
        # In the order of an index: `number` has none that begins with the session.
        chunks = Chunk.objects.filter(session=found).order_by("lane", "first_seq", "passage")
        context |= {"show": "chunks", "page": _page(request, chunks)}
    else:
        wanted = line_asked(request.GET.get("line", ""))
        number = request.GET.get("page") or page_of_line(found, wanted)
        page = page_of(Event.objects.filter(session=found).in_order(), number)
        lines = [EventLine(event) for event in page]
        context |= {"show": "events", "page": page, "lines": lines, "wanted": wanted}
    return render(request, "inspector/session_detail.html", context)


@require_GET
@never_cache
@login_required
@vary_on_headers("HX-Request")
def session_chain(request: PageRequest, session: UUID) -> HttpResponse:
    """Recompute the whole chain: asked for by hand, because a long log takes seconds."""
    found = get_object_or_404(visible_sessions(request.user), pk=session)
    note_look(request.user, found.owner, "session")
    template = "inspector/session_chain.html" + ("#chain" if wants_part(request) else "")
    return render(request, template, {"session": found, "breaks": verify_chain(found)})


@require_POST
@login_required
def session_end(request: PageRequest, session: UUID) -> HttpResponse:
    """End a session; one that is ending already is left to it."""
    found = get_object_or_404(visible_sessions(request.user), pk=session)
    end_session(session=found, reason=Session.EndReason.WEB)
    return redirect("session", session=found.pk)


def _page(request: PageRequest, rows: QuerySet) -> Page:
    return page_of(rows, request.GET.get("page"))
