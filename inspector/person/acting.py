"""What a person does to their memory: correct, forget, pin, decide, take back."""

from collections.abc import Mapping
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import Owner
from consolidation.edits.approvals import decide_candidate, never_again, release
from consolidation.edits.corrections import take_back
from consolidation.edits.memory import change_item, set_recall
from inspector.faults import attempt, in_words, small_print
from inspector.http import PageRequest
from inspector.person.forms import FORMS, begun
from inspector.person.reading import LAYERS, cards, rows_of
from inspector.person.wording import CATEGORY
from inspector.whose import owner_to_change
from knowledge.changes.apply import decide_item
from knowledge.changes.approval import CATEGORIES
from knowledge.errors import ItemChanged, ItemUnfit
from knowledge.models import ChangeItem, Changeset


@require_POST
@login_required
def switch_recall(request: PageRequest, owner: int) -> HttpResponse:
    """Let the assistant bring up earlier conversations by itself, or not."""
    found = owner_to_change(request.user, owner)
    set_recall(owner=found, enabled=request.POST.get("enabled") == "yes", actor=str(request.user))
    return redirect("memory-overview", owner=found.pk)


@require_http_methods(["GET", "POST"])
@never_cache
@login_required
def correct(request: PageRequest, owner: int, layer: str, item: UUID) -> HttpResponse:
    """Correct an item in the version that was seen; a change in between is shown, and nothing lost."""
    found = owner_to_change(request.user, owner)
    row = get_object_or_404(rows_of(found, layer), pk=item)
    form = FORMS[layer](request.POST or None, initial=begun(row))
    now = ""
    if request.method == "POST" and form.is_valid():
        try:
            _change(request, found, layer, item, form.fields_of())
        except ItemChanged:
            row.refresh_from_db()
            (one,) = cards(found, layer, [row])
            now = one.text
            form = FORMS[layer]({**request.POST.dict(), "version": row.version})
        except ItemUnfit as fault:
            form.add_error(None, f"{in_words(fault)} ({small_print(fault)})")
        else:
            messages.success(request, "Corrected. The next answers use the new words.")
            return redirect("memory-item", owner=found.pk, layer=layer, item=item)
    context = {"owner": found, "tab": layer, "layer": layer, "item": row, "form": form, "now": now}
    return render(request, "person/correct.html", context, status=409 if now else 200)


@require_POST
@login_required
def pin(request: PageRequest, owner: int, layer: str, item: UUID) -> HttpResponse:
    """Keep an item from being put away by the machine, or let it go again."""
    found = owner_to_change(request.user, owner)
    row = get_object_or_404(rows_of(found, layer), pk=item)
    fields = {"is_pinned": not row.is_pinned, "version": row.version}
    attempt(request, lambda: _change(request, found, layer, item, fields), "")
    return redirect("memory-item", owner=found.pk, layer=layer, item=item)


@require_POST
@login_required
def let_in(request: PageRequest, owner: int, layer: str, item: UUID) -> HttpResponse:
    """Let an item that is held back count."""
    found = owner_to_change(request.user, owner)
    kind, actor = LAYERS[layer], str(request.user)
    done = "From now on this is remembered."
    attempt(request, lambda: release(owner=found, kind=kind, target=item, actor=actor), done)
    return redirect("memory-item", owner=found.pk, layer=layer, item=item)


@require_POST
@login_required
def undo(request: PageRequest, owner: int, changeset: UUID) -> HttpResponse:
    """Take back a correction of one's own."""
    found = owner_to_change(request.user, owner)
    actor = str(request.user)
    own = Changeset.objects.filter(owner=found, origin=Changeset.Origin.PERSON, actor=actor)
    made = get_object_or_404(own, pk=changeset)
    attempt(request, lambda: take_back(changeset=made, actor=actor), "Taken back.")
    return _back(request, found)


@require_POST
@login_required
def decide(request: PageRequest, owner: int, one: int) -> HttpResponse:
    """Keep or drop what a conversation under way may teach."""
    found = owner_to_change(request.user, owner)
    keep, actor = request.POST.get("keep") == "yes", str(request.user)
    done = "It will be remembered when the conversation ends." if keep else "Dropped."
    attempt(
        request,
        lambda: decide_candidate(owner=found, candidate=one, keep=keep, actor=actor),
        done,
    )
    return redirect("memory-overview", owner=found.pk)


@require_POST
@login_required
def approve(request: PageRequest, owner: int, one: int) -> HttpResponse:
    """Approve or reject a change that waits for the person."""
    found = owner_to_change(request.user, owner)
    item = get_object_or_404(ChangeItem.objects.filter(changeset__owner=found), pk=one)
    keep, actor = request.POST.get("keep") == "yes", str(request.user)
    done = "Remembered." if keep else "Dropped."
    attempt(request, lambda: decide_item(item=item, approve=keep, actor=actor), done)
    return redirect("memory-overview", owner=found.pk)


@require_POST
@login_required
def never(request: PageRequest, owner: int) -> HttpResponse:
    """Remember nothing more of a kind."""
    found = owner_to_change(request.user, owner)
    category = request.POST.get("category", "")
    if category in CATEGORIES:
        never_again(owner=found, category=category, actor=str(request.user))
        kind = CATEGORY.get(category, category)
        messages.success(request, f"Nothing more of this kind is remembered: {kind}.")
    return _back(request, found)


def _change(
    request: PageRequest, owner: Owner, layer: str, item: UUID, fields: Mapping[str, object]
) -> None:
    said = {name: value for name, value in fields.items() if name != "version"}
    version = fields["version"]
    assert isinstance(version, int)  # noqa: S101 - a checked field
    change_item(
        owner=owner,
        kind=LAYERS[layer],
        target=item,
        fields=said,
        version=version,
        actor=str(request.user),
    )


def _back(request: PageRequest, owner: Owner) -> HttpResponse:
    """Go back to the page of ours that the form stood on, else to the overview."""
    layer, item = request.POST.get("layer", ""), request.POST.get("item", "")
    if request.POST.get("page") == "learned":
        return redirect("memory-learned", owner=owner.pk)
    if layer in LAYERS and item:
        try:
            return redirect("memory-item", owner=owner.pk, layer=layer, item=UUID(item))
        except ValueError:
            pass
    return redirect("memory-overview", owner=owner.pk)
