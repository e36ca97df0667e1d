"""What a person does to notes and saved facts: write a note anew, forget one, each as it was seen."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.models import Owner
from consolidation.edits.own import forget_note, forget_saved_fact
from inspector.http import PageRequest
from inspector.picture.forgetting import DeletionPreview, ask, is_confirmed
from inspector.picture.pages import tell, version_seen
from inspector.whose import owner_to_change
from knowledge.errors import EntryChanged, FactUnknown
from knowledge.models import Entry
from knowledge.notes.store import find_entry
from knowledge.notes.write import put_note
from knowledge.saved_facts.save import find_fact

CHANGED = "It has changed since you opened it, and is still there. It is shown as it is now."


@require_POST
@login_required
def write(request: PageRequest, owner: int) -> HttpResponse:
    """Write a note anew in the version that was seen; a change in between is shown, nothing lost."""
    found = owner_to_change(request.user, owner)
    name, content = request.POST.get("name", ""), request.POST.get("content", "")

    def act() -> None:
        put_note(
            owner=found,
            actor=str(request.user),
            name=name,
            content=content,
            expected=version_seen(request),
        )

    try:
        tell(request, act, "Saved.", reraised=(EntryChanged,))
    except EntryChanged:
        now = find_entry(owner=found, name=name)
        context = {"owner": found, "tab": "notes", "name": name, "mine": content, "now": now}
        return render(request, "picture/note.html", context, status=409)
    return redirect("memory-notes", owner=found.pk)


@require_POST
@login_required
def forget(request: PageRequest, owner: int) -> HttpResponse:
    """Delete a note in the version that was seen; first asked, then done."""
    found = owner_to_change(request.user, owner)
    name = request.POST.get("name", "")
    note = find_entry(owner=found, name=name)
    if note and not is_confirmed(request):
        return ask(request, _preview(found, note))

    def act() -> None:
        forget_note(owner=found, actor=str(request.user), name=name, expected=version_seen(request))

    try:
        tell(request, act, "Forgotten.", reraised=(EntryChanged,))
    except EntryChanged:
        messages.error(request, CHANGED)
        again = find_entry(owner=found, name=name)
        if again:
            return ask(request, _preview(found, again), status=409)
    return redirect("memory-notes", owner=found.pk)


@require_POST
@login_required
def forget_fact(request: PageRequest, owner: int, fact: UUID) -> HttpResponse:
    """Delete a saved fact; first asked, then done."""
    found = owner_to_change(request.user, owner)
    if not is_confirmed(request):
        try:
            row = find_fact(owner=found, id=fact)
        except FactUnknown:
            messages.error(request, "It is gone already.")
        else:
            preview = DeletionPreview(
                owner=found,
                tab="notes",
                says=f"{row.key}: {row.value}",
                hint="It goes for good, and with it how often it was used.",
                action=reverse("memory-saved-forget", args=(found.pk, fact)),
                back=reverse("memory-notes", args=(found.pk,)),
            )
            return ask(request, preview)
    else:
        tell(
            request,
            lambda: forget_saved_fact(owner=found, id=fact, actor=str(request.user)),
            "Forgotten.",
        )
    return redirect("memory-notes", owner=found.pk)


def _preview(owner: Owner, note: Entry) -> DeletionPreview:
    return DeletionPreview(
        owner=owner,
        tab="notes",
        title=note.name,
        says=note.content,
        hint="The note goes for good. An agent may write another one under its name.",
        derived=[f"Its other name: {alias}" for alias in note.aliases],
        action=reverse("memory-note-forget", args=(owner.pk,)),
        back=reverse("memory-notes", args=(owner.pk,)),
        fields={"name": note.name, "version": note.version},
    )
