"""Erase all that is known of a person, watch it go, and take the proof along."""

import json
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core import signing
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods
from django.views.decorators.vary import vary_on_headers

from accounts.errors import ErasureUnconfirmed
from accounts.models import Owner
from consolidation.deletion.erasure.job import progress
from consolidation.deletion.erasure.request import (
    check_confirmed,
    erase_owner,
    erase_person,
    owners_of_person,
    preview,
)
from consolidation.models import Erasure
from inspector.http import PageRequest, wants_part
from inspector.privacy.contents import in_words
from inspector.whose import note_look, owner_to_change

# Whoever began an erasure sees its end, though their account may be gone by then.
SALT = "recollect.erasure-page"
EVERYWHERE = "everywhere"


@require_http_methods(["GET", "POST"])
@never_cache
@login_required
def erase(request: PageRequest, owner: int) -> HttpResponse:
    """Show what would go; begin once the name is typed."""
    found = owner_to_change(request.user, owner)
    everywhere = (request.POST or request.GET).get("scope") == EVERYWHERE and found.user is not None
    context: dict[str, object] = {"owner": found, "everywhere": everywhere}
    if request.method == "POST":
        try:
            check_confirmed(given=request.POST.get("confirm", ""), name=found.key)
        except ErasureUnconfirmed:
            context["is_wrong"] = True
        else:
            made = _begin(found, everywhere, request.user.username)
            return redirect("erasure", token=signing.dumps(str(made.pk), salt=SALT))
    note_look(request.user, found, "erase")
    counts = in_words(preview(_reached(found, everywhere)))
    context |= {"counts": counts, "total": sum(counts.values())}
    return render(
        request, "privacy/erase.html", context, status=422 if "is_wrong" in context else 200
    )


@require_GET
@never_cache
@vary_on_headers("HX-Request")
def erasure(request: PageRequest, token: str) -> HttpResponse:
    """Show how far an erasure is; htmx asks for the bar alone."""
    found = _named(token)
    context = {
        "erasure": found,
        "token": token,
        "percent": round(100 * progress(found)),
        "total": sum(found.counts.values()),
    }
    template = "privacy/erasure.html" + ("#progress" if wants_part(request) else "")
    return render(request, template, context)


@require_GET
@never_cache
def certificate(request: PageRequest, token: str) -> HttpResponse:
    """Send the certificate of an erasure that is done."""
    found = _named(token)
    if found.certificate is None:
        raise Http404
    answer = HttpResponse(json.dumps(found.certificate, indent=2), content_type="application/json")
    answer["Content-Disposition"] = 'attachment; filename="certificate.json"'
    return answer


def _reached(owner: Owner, everywhere: bool) -> list[Owner]:
    return owners_of_person(owner.user) if everywhere and owner.user else [owner]


def _begin(owner: Owner, everywhere: bool, actor: str) -> Erasure:
    made = erase_person(person=owner.user, actor=actor) if everywhere and owner.user else None
    return made or erase_owner(owner=owner, actor=actor)


def _named(token: str) -> Erasure:
    """Return the erasure that a token names. Raises Http404."""
    try:
        name = UUID(signing.loads(token, salt=SALT))
    except (signing.BadSignature, ValueError, TypeError, AttributeError) as error:
        raise Http404 from error
    found: Erasure = get_object_or_404(Erasure, pk=name)
    return found
