"""One function per page of what a person decides."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from audit.log import record
from consolidation.edits.memory import set_recall, set_sharing
from consolidation.portable.readable import zipped
from inspector.http import PageRequest
from inspector.paging import page_of
from inspector.privacy.overview import (
    CHOICES,
    consents,
    in_words,
    knowing,
    looks,
    recalls,
    set_consents,
)
from inspector.whose import note_look, owner_for, owner_to_change


@require_GET
@never_cache
@login_required
def privacy(request: PageRequest, owner: int) -> HttpResponse:
    """Show what a person decides about their memory, and for how long it is kept."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, "privacy")
    context = {
        "owner": found,
        "recalls": recalls(found),
        "consents": consents(found),
        "choices": CHOICES,
        "knowing": knowing(found, request.user),
    }
    return render(request, "privacy/privacy.html", context)


@require_POST
@login_required
def recall(request: PageRequest, owner: int) -> HttpResponse:
    """Let past conversations be brought up, or not."""
    found = owner_to_change(request.user, owner)
    enabled = request.POST.get("enabled") == "yes"
    set_recall(owner=found, enabled=enabled, actor=request.user.username)
    messages.success(
        request,
        "The assistant may bring up past conversations now."
        if enabled
        else "The assistant is told from now on not to bring up past conversations by itself.",
    )
    return redirect("memory-privacy", owner=found.pk)


@require_POST
@login_required
def sharing(request: PageRequest, owner: int) -> HttpResponse:
    """Let other agents read what one agent remembers of the person, or not."""
    found = owner_to_change(request.user, owner)
    known = {str(one.pk): one for one in knowing(found, request.user)}
    meant = known.get(request.POST.get("of") or str(found.pk))
    if meant is None:
        raise Http404
    enabled = request.POST.get("enabled") == "yes"
    set_sharing(owner=meant, enabled=enabled, actor=request.user.username)
    says = "Other assistants may" if enabled else "From now on no other assistant may"
    messages.success(request, f"{says} read what {meant.agent} remembers of you.")
    return redirect("memory-privacy", owner=found.pk)


@require_POST
@login_required
def consent(request: PageRequest, owner: int) -> HttpResponse:
    """Keep what the person chose for each category; what is no choice stays as it was."""
    found = owner_to_change(request.user, owner)
    known = {one.category: one.mode for one in consents(found)}
    given = {one: request.POST.get(one, "") for one in known}
    modes = [(one, mode if mode in dict(CHOICES) else known[one]) for one, mode in given.items()]
    set_consents(owner=found, modes=modes, actor=request.user.username)
    messages.success(request, "Your choices are kept.")
    return redirect("memory-privacy", owner=found.pk)


@require_GET
@never_cache
@login_required
def reads(request: PageRequest, owner: int) -> HttpResponse:
    """Show who looked at what is remembered."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, "looks")
    page = page_of(looks(found), request.GET.get("page"))
    context = {"owner": found, "page": page, "looks": in_words(list(page), found)}
    return render(request, "privacy/reads.html", context)


@require_http_methods(["POST"])
@login_required
def export(request: PageRequest, owner: int) -> FileResponse:
    """Send all that is remembered, as JSON and as a page, in one zip."""
    found = owner_to_change(request.user, owner)
    record(actor=request.user.username, action="export", subject=str(found.pk))
    return FileResponse(zipped([found]), as_attachment=True, filename="memory.zip")
