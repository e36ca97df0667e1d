"""The page of single texts that were learned of a person, and what they change of it."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.errors import Fault
from accounts.models import Owner
from consolidation.edits.documents import change_document, heir_of
from consolidation.edits.own import forget_document
from inspector.faults import in_words
from inspector.http import PageRequest, wants_part
from inspector.paging import page_of
from inspector.picture.documents import documents_of, shown
from inspector.picture.forgetting import DeletionPreview, ask, is_confirmed
from inspector.picture.pages import tell
from inspector.whose import note_look, owner_for, owner_to_change
from knowledge.errors import DocumentUnknown
from knowledge.models import ContextDocument


@require_GET
@never_cache
@login_required
@vary_on_headers("HX-Request")
def learned_page(request: PageRequest, owner: int) -> HttpResponse:
    """List what was learned as single texts; htmx asks for the list alone, while somebody types."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, "learned")
    words = request.GET.get("q", "")
    page = page_of(documents_of(found, words), request.GET.get("page"))
    context = {
        "owner": found,
        "tab": "learned",
        "page": page,
        "documents": shown(found, list(page)),
        "words": words,
    }
    template = "picture/learned.html" + ("#list" if wants_part(request) else "")
    return render(request, template, context)


@require_http_methods(["GET", "POST"])
@never_cache
@login_required
def correct(request: PageRequest, owner: int, document: UUID) -> HttpResponse:
    """Put one's own text in the place of one; what came there in between is shown, nothing lost."""
    found = owner_to_change(request.user, owner)
    mine, fault = request.POST.get("content", ""), ""
    row = documents_of(found).filter(pk=document).first()
    if request.method == "POST" and row is not None:
        try:
            change_document(owner=found, id=document, content=mine, actor=str(request.user))
        except DocumentUnknown:
            row = None
        except Fault as error:
            fault = in_words(error)
        else:
            messages.success(request, "Corrected. The next answers use the new words.")
            return redirect("memory-learned", owner=found.pk)
    now = row or _heir(found, document)
    context = {
        "owner": found,
        "tab": "learned",
        "document": now,
        "text": mine if request.method == "POST" else now.content,
        "is_newer": row is None,
        "fault": fault,
    }
    return render(request, "picture/document.html", context, status=409 if row is None else 200)


@require_POST
@login_required
def forget(request: PageRequest, owner: int, document: UUID) -> HttpResponse:
    """Delete a text for good; first asked, then done."""
    found = owner_to_change(request.user, owner)
    row = documents_of(found).filter(pk=document).first()
    if row is None:
        messages.error(request, "It has changed or is gone. Nothing was forgotten: look again.")
    elif not is_confirmed(request):
        return ask(request, _preview(found, row))
    else:
        actor = str(request.user)
        tell(
            request,
            lambda: forget_document(owner=found, id=document, actor=actor),
            "Forgotten. Nothing brings it back.",
        )
    return redirect("memory-learned", owner=found.pk)


def _heir(owner: Owner, document: UUID) -> ContextDocument:
    found = heir_of(owner, document)
    if found is None:
        raise Http404
    return found


def _preview(owner: Owner, row: ContextDocument) -> DeletionPreview:
    (one,) = shown(owner, [row])
    others = ContextDocument.objects.filter(owner=owner, content=row.content).count() - 1
    derived = [f"What it said before: {one.corrected.was}"] if one.corrected else []
    derived += [f"The same text, kept {others} more times"] if others else []
    return DeletionPreview(
        owner=owner,
        tab="learned",
        says=row.content,
        hint="It goes for good, and the same text is not learned again. What says it in other "
        "words stays: look through your facts and your profile.",
        derived=derived,
        action=reverse("memory-learned-forget", args=(owner.pk, row.pk)),
        back=reverse("memory-learned", args=(owner.pk,)),
    )
