"""The console's pages of a session: its time line, its prompt, its receipts."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from inspector.console.asked import rows_of
from inspector.console.door import staff, visible_agents
from inspector.http import PageRequest
from inspector.overview import named, with_counts
from inspector.whose import note_looks
from inspector.why.bar import bar
from inspector.why.prompts import shown_messages
from inspector.why.timeline import time_line
from inspector.why.visible import receipts_of, session_for, sessions_of
from memory.models import Session
from memory.models.window import Lane
from recall.errors import BudgetTooSmall
from recall.prompt.preview import preview_context

LONGEST_QUESTION = 1_000


@require_GET
@staff
def session_list(request: PageRequest) -> HttpResponse:
    """Show the sessions of the organization, newest first."""
    words, state = request.GET.get("q", ""), request.GET.get("state", "")
    agents = list(visible_agents(request.user))
    agent = request.GET.get("agent", "")
    found = named(with_counts(sessions_of(request.user)), words)
    chosen = [one for one in agents if str(one.pk) == agent]
    if chosen:
        found = found.filter(owner__agent__in=chosen)
    if state in Session.State.values:
        found = found.filter(state=state)
    listed = rows_of(found, request.GET.get("before", ""))
    note_looks(
        request.user, {row.owner_id for row in listed.rows if isinstance(row, Session)}, "sessions"
    )
    context = {
        "section": "sessions",
        "listed": listed,
        "agents": agents,
        "agent": agent,
        "words": words,
        "state": state,
        "states": Session.State.values,
    }
    return render(request, "why/session_list.html", context)


@require_GET
@staff
def session_time(request: PageRequest, session: UUID) -> HttpResponse:
    """Show what happened in both lanes, on one time line."""
    found = _looked_at(request, session, "session")
    shown = time_line(found, request.GET.get("page"))
    context = {"section": "sessions", "session": found, "show": "time", "line": shown}
    return render(request, "why/session.html", context | {"page": shown.page})


@require_GET
@staff
def session_prompt(request: PageRequest, session: UUID) -> HttpResponse:
    """Show the prompt that a lane would get now, and what each block of it takes."""
    found = _looked_at(request, session, "prompt")
    lane = request.GET.get("lane", "")
    lane = lane if lane in Lane.values else Lane.EDGE.value
    # PostgreSQL refuses the zero byte in a text.
    question = request.GET.get("q", "").replace("\0", "")[:LONGEST_QUESTION]
    context: dict[str, object] = {
        "section": "sessions",
        "session": found,
        "show": "prompt",
        "lane": lane,
        "lanes": Lane.values,
        "question": question,
    }
    try:
        preview = preview_context(session=found, query=question.strip() or None, lane=lane)
    except BudgetTooSmall as fault:
        context |= {"fault": f"No prompt can be built: {fault}. {fault.hint}"}
    else:
        blocks = [(share.name, share.tokens) for share in preview.shares]
        context |= {
            "preview": preview,
            "bar": bar(blocks, preview.prompt.budget),
            "messages_shown": shown_messages(preview.prompt.messages),
        }
    return render(request, "why/session.html", context)


@require_GET
@staff
def session_receipts(request: PageRequest, session: UUID) -> HttpResponse:
    """Show what earlier prompts and answers of the session held."""
    found = _looked_at(request, session, "receipts")
    rows = receipts_of(request.user).filter(session=found)
    context = {
        "section": "sessions",
        "session": found,
        "show": "receipts",
        "listed": rows_of(rows, request.GET.get("before", "")),
    }
    return render(request, "why/session.html", context)


def _looked_at(request: PageRequest, session: UUID, page: str) -> Session:
    found = session_for(request.user, session)
    note_looks(request.user, [found.owner_id], page)
    return found
