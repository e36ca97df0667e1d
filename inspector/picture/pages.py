"""The page of a person's picture, and the changes they make to it."""

from collections.abc import Callable, Mapping, Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.errors import Fault
from consolidation.edits.profile import change_profile, forget_profile
from inspector.faults import tell_fault
from inspector.http import PageRequest
from inspector.picture.forgetting import DeletionPreview, ask, is_confirmed
from inspector.picture.reading import show, tools_of
from inspector.whose import note_look, owner_for, owner_to_change
from knowledge.profile.edit import read_profile

LONGEST = 20_000
GOES = (
    "It goes for good, with the observations that taught it and what else was learned from just "
    "those. Nothing brings it back."
)
PARTS = ("narrative", "scaffold", "learned_info")


@require_GET
@never_cache
@login_required
def profile_page(request: PageRequest, owner: int) -> HttpResponse:
    """Show what the agent thinks this person is about, how sure it is, and why."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, "profile")
    shown = show(found)
    tools = tools_of(shown.connections)
    context = {"owner": found, "tab": "profile", "shown": shown, "tools": tools}
    return render(request, "picture/profile.html", context)


@require_POST
@login_required
def change(request: PageRequest, owner: int) -> HttpResponse:
    """Write the narrative, one leaf of the profile, or one learned text anew."""
    found = owner_to_change(request.user, owner)
    part = request.POST.get("part", "")
    learned = read_profile(found).learned if part == "learned_info" else ()
    fields = _fields(part, request.POST, learned)

    def act() -> None:
        change_profile(
            owner=found,
            part=part,
            fields=fields,
            version=version_seen(request),
            actor=str(request.user),
        )

    if fields:
        tell(request, act, "Saved. What you write yourself is never overruled.")
    return redirect("memory-profile", owner=found.pk)


@require_POST
@login_required
def forget(request: PageRequest, owner: int) -> HttpResponse:
    """Forget one sentence, one leaf, or one text; first asked, then done."""
    found = owner_to_change(request.user, owner)
    part, name = request.POST.get("part", ""), request.POST.get("name", "")
    if part not in PARTS or not name:
        return redirect("memory-profile", owner=found.pk)
    if not is_confirmed(request):
        preview = DeletionPreview(
            owner=found,
            tab="profile",
            says=request.POST.get("says", name)[:LONGEST],
            hint=GOES,
            action=reverse("memory-profile-forget", args=(found.pk,)),
            back=reverse("memory-profile", args=(found.pk,)),
            fields={"part": part, "name": name, "version": version_seen(request)},
        )
        return ask(request, preview)

    def act() -> None:
        deleted = forget_profile(
            owner=found,
            part=part,
            names=[name],
            version=version_seen(request),
            actor=str(request.user),
        )
        if deleted.act:
            messages.success(request, "Forgotten. Nothing brings it back.")
        else:
            messages.error(request, "This is not there any more. Nothing was forgotten.")

    tell(request, act, "")
    return redirect("memory-profile", owner=found.pk)


def tell(
    request: PageRequest,
    act: Callable[[], object],
    done: str,
    *,
    reraised: tuple[type[Fault], ...] = (),
) -> None:
    """Do something, and say how it went. Raises those of `reraised`, which the caller says better."""
    try:
        act()
    except reraised:
        raise
    except Fault as fault:
        tell_fault(request, fault)
    else:
        if done:
            messages.success(request, done)


def _fields(part: str, posted: Mapping[str, str], learned: Sequence[str]) -> Mapping[str, object]:
    """Return what a form asks to be written; nothing for one that makes no sense."""
    text = posted.get("value", "").strip()[:LONGEST]
    if part == "narrative":
        return {"text": text}
    path = posted.get("name", "")
    if path in learned and text:
        return {"items": [text if one == path else one for one in learned]}
    if part != "scaffold" or not path or not text:
        return {}
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return {path: lines if posted.get("list") else text}


def version_seen(request: PageRequest) -> int:
    """Return the version that was seen; one that no part ever has where the form names none."""
    text = request.POST.get("version", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
