"""One function per page."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from consolidation.intake import end_session
from inspector.http import PageRequest
from inspector.overview import visible_sessions, with_counts, work
from memory.events import verify_chain
from memory.messages import text_of
from memory.models import Chunk, Event, Session

ROWS = 25


@require_GET
@never_cache
@login_required
@vary_on_headers("HX-Request")
def session_list(request: HttpRequest) -> HttpResponse:
    """Show the sessions, newest first; htmx asks for the table alone."""
    page_request = _signed_in(request)
    state = request.GET.get("state", "")
    sessions = with_counts(visible_sessions(page_request.user)).order_by("-pk")
    if state in Session.State.values:
        sessions = sessions.filter(state=state)
    page = Paginator(sessions, ROWS).get_page(request.GET.get("page"))
    template = "inspector/session_list.html"
    if page_request.htmx and not page_request.htmx.boosted:
        template += "#rows"
    context = {"page": page, "state": state, "states": Session.State.values, "work": work()}
    return render(request, template, context)


@require_GET
@never_cache
@login_required
@vary_on_headers("HX-Request")
def session_detail(request: HttpRequest, session: UUID) -> HttpResponse:
    """Show one session: how far its end has come, its log, and the chunks it is found by."""
    page_request = _signed_in(request)
    found = get_object_or_404(with_counts(visible_sessions(page_request.user)), pk=session)
    events = Paginator(Event.objects.filter(session=found).in_order(), ROWS)
    chunks = Paginator(Chunk.objects.filter(session=found).order_by("number"), ROWS)
    page = events.get_page(request.GET.get("events"))
    rows = [{"event": event, "text": text_of(event.content)} for event in page]
    template = "inspector/session_detail.html"
    if page_request.htmx and not page_request.htmx.boosted:
        template += "#state"
    context = {
        "session": found,
        "steps": found.steps.all(),
        "events": page,
        "rows": rows,
        "chunks": chunks.get_page(request.GET.get("chunks")),
        "breaks": [] if page_request.htmx else verify_chain(found),
        "work": work(),
    }
    return render(request, template, context)


@require_POST
@login_required
def session_end(request: HttpRequest, session: UUID) -> HttpResponse:
    """End a session; one that is ending already is left to it."""
    found = get_object_or_404(visible_sessions(_signed_in(request).user), pk=session)
    end_session(session=found, reason=Session.EndReason.WEB)
    return redirect("session", session=found.pk)


def _signed_in(request: HttpRequest) -> PageRequest:
    """Name the type that the middleware and login_required have made of the request."""
    signed_in: PageRequest = request  # type: ignore[assignment]
    return signed_in
