"""The pages of the playground."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.errors import Fault
from accounts.models import Agent
from consolidation.chat.ephemeral import said_in, say_unkept
from consolidation.chat.errors import NotAnswered, UpstreamMissing
from consolidation.chat.reply import ChatReply, is_offline, say
from inspector.console.door import agent_for, keeper, visible_agents
from inspector.http import PageRequest, wants_part
from inspector.playground.forms import SayForm, StartForm
from inspector.playground.said import conversation, unkept
from inspector.playground.sessions import begin, finish, found_or_404, room_of, session_of
from inspector.playground.watching import watch
from inspector.whose import note_looks
from memory.incognito import ask_rooms, is_incognito, rooms

SECTION = "playground"
OFFLINE, MODEL, NOTHING = "offline", "model", "nothing"


@require_http_methods(["GET", "POST"])
@keeper
def playground(request: PageRequest) -> HttpResponse:
    """Choose an agent and a user, and begin."""
    agents = visible_agents(request.user)
    form = StartForm(agents, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            return _begun(request, form)
        except Fault as fault:
            messages.error(request, _sentence(fault))
    context = {"section": SECTION, "form": form, "voice": _voice()}
    status = 422 if form.is_bound else 200
    return render(request, "playground/start.html", context, status=status)


@require_GET
@keeper
@vary_on_headers("HX-Request")
def talk(request: PageRequest, agent: UUID, session: UUID) -> HttpResponse:
    """Show the talk and, beside it, what memory did; htmx asks for what memory did alone."""
    found = agent_for(request.user, agent)
    if is_incognito(session):
        return _unkept(request, found, session)
    return _kept(request, found, session)


@require_POST
@keeper
def say_it(request: PageRequest, agent: UUID, session: UUID) -> HttpResponse:
    """Say something. What goes wrong is told; what was said is kept."""
    speak = _speaker(request, agent_for(request.user, agent), session)
    form = SayForm(request.POST)
    if form.is_valid():
        _spoken(request, form.cleaned_data["text"], speak)
    else:
        messages.error(request, " ".join(str(one) for one in form.errors["text"]))
    return _back(agent, session)


@require_POST
@keeper
def end(request: PageRequest, agent: UUID, session: UUID) -> HttpResponse:
    """End a session; one that is ending already is left to it."""
    found = agent_for(request.user, agent)
    if is_incognito(session):
        room_of(found, session)
        with found_or_404():
            store = rooms()
            ask_rooms(lambda: store.end(found.pk, session))
        messages.success(request, "The session has ended, and nothing of it is kept.")
        return redirect("console-playground")
    if finish(session=session_of(request.user, found, session), person=request.user):
        messages.success(request, "The session ends: what it taught is gone through once more.")
    return _back(agent, session, "watched")


def _speaker(request: PageRequest, agent: Agent, session: UUID) -> Callable[[str], ChatReply]:
    if is_incognito(session):
        room_of(agent, session)
        return lambda text: say_unkept(agent=agent, room=session, text=text)
    kept = session_of(request.user, agent, session)
    return lambda text: say(session=kept, text=text)


def _begun(request: PageRequest, form: StartForm) -> HttpResponse:
    agent: Agent = form.cleaned_data["agent"]
    if form.cleaned_data["incognito"]:
        store = rooms()
        return _back(agent.pk, ask_rooms(lambda: store.open(agent.pk)).id)
    session = begin(agent=agent, user=form.cleaned_data["user"], person=request.user)
    return _back(agent.pk, session.pk)


def _kept(request: PageRequest, agent: Agent, session: UUID) -> HttpResponse:
    found, voice = session_of(request.user, agent, session), _voice()
    note_looks(request.user, [found.owner_id], SECTION)
    context = _head(agent, session) | {"session": found, "watched": watch(found)}
    if wants_part(request):
        return render(request, "playground/talk.html#watched", context)
    words = conversation(found, is_offline=voice == OFFLINE)
    shown = {"words": words, "voice": voice, "form": SayForm(), "is_open": found.is_open}
    return render(request, "playground/talk.html", context | shown)


def _unkept(request: PageRequest, agent: Agent, session: UUID) -> HttpResponse:
    look, voice = room_of(agent, session), _voice()
    with found_or_404():
        said = said_in(agent=agent, room=session)
    context = _head(agent, session) | {
        "words": unkept(said, is_offline=voice == OFFLINE),
        "voice": voice,
        "form": SayForm(),
        "is_open": look.ended_at is None,
    }
    return render(request, "playground/talk.html", context)


def _head(agent: Agent, session: UUID) -> dict[str, object]:
    return {"section": SECTION, "agent": agent, "id": session}


def _spoken(request: PageRequest, text: str, speak: Callable[[str], ChatReply]) -> None:
    try:
        with found_or_404():
            speak(text)
    except NotAnswered as fault:
        # What was said stands in the talk.
        messages.error(request, _sentence(fault))
    except Fault as fault:
        messages.error(request, f"{_sentence(fault)} What you wrote was not kept.")


def _sentence(fault: Fault) -> str:
    said = str(fault)
    return f"{said[:1].upper()}{said[1:]}. {fault.hint}".strip()


def _voice() -> str:
    """Say what answers here."""
    try:
        return OFFLINE if is_offline() else MODEL
    except UpstreamMissing:
        return NOTHING


def _back(agent: UUID, session: UUID, place: str = "message") -> HttpResponse:
    # The end of a long talk is what one came back for.
    address = reverse("console-playground-talk", args=[agent, session])
    return HttpResponseRedirect(f"{address}#{place}")
