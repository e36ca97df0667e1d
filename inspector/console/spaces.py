"""The spaces of vectors: how full they are, compare them, and go over to another or back."""

from statistics import fmean

from django.contrib import messages
from django.db import OperationalError, transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.errors import Fault
from audit.log import record
from consolidation.embedding import reembed as reembedding
from inspector.console.door import keeper
from inspector.http import PageRequest
from memory.models import EmbeddingSpace
from providers.errors import ProviderFault
from recall.answers.comparison import compare, recent_questions

State = EmbeddingSpace.State
# Each question is asked four times while somebody waits.
QUESTIONS = 10
# Of a list, nobody has to know more exactly; whoever goes over is told the number.
MOST_MISSING = 10_000
CHOOSABLE = (State.BUILDING, State.RETIRED)


@require_GET
@keeper
def space_list(request: PageRequest) -> HttpResponse:
    """Show each space and what it lacks."""
    spaces = EmbeddingSpace.objects.order_by("pk")
    rows = [(space, reembedding.lack_of(space, most=MOST_MISSING).texts) for space in spaces]
    context = {
        "section": "spaces",
        "rows": rows,
        "most": MOST_MISSING,
        "previous": EmbeddingSpace.objects.previous(),
    }
    return render(request, "console/spaces.html", context)


@require_POST
@keeper
def space_compare(request: PageRequest, space: int) -> HttpResponse:
    """Ask the questions that were asked last in the current space and in another."""
    new = get_object_or_404(EmbeddingSpace, pk=space, state__in=CHOOSABLE)
    old = EmbeddingSpace.objects.current()
    if old is None:
        messages.error(request, "No space is current yet: there is nothing to compare with.")
        return redirect("console-spaces")
    try:
        found = list(compare(recent_questions(QUESTIONS), old=old, new=new))
    except ProviderFault as fault:
        messages.error(request, f"A model did not answer ({fault.code}).")
        return redirect("console-spaces")
    shares = [one.hybrid for one in found if one.hybrid is not None]
    context = {
        "section": "spaces",
        "old": old,
        "new": new,
        "results": found,
        "mean": fmean(shares) if shares else None,
        "missing": reembedding.lack_of(new).texts,
    }
    return render(request, "console/space_compare.html", context)


@require_POST
@keeper
def space_fill(request: PageRequest, space: int) -> HttpResponse:
    """Let the workers give a space what it lacks."""
    found = get_object_or_404(EmbeddingSpace, pk=space, state__in=CHOOSABLE)
    with transaction.atomic():
        reembedding.begin(found)
        record(actor=str(request.user), action="space.fill", subject=str(found))
    messages.success(request, f"The workers fill {found}.")
    return redirect("console-spaces")


@require_http_methods(["GET", "POST"])
@keeper
def space_switch(request: PageRequest, space: int) -> HttpResponse:
    """Say what going over means; do it once that is confirmed."""
    found = get_object_or_404(EmbeddingSpace, pk=space, state__in=CHOOSABLE)
    if request.method == "GET":
        context = {
            "section": "spaces",
            "space": found,
            "current": EmbeddingSpace.objects.current(),
            "missing": reembedding.lack_of(found).texts,
            "goes_back": found.state == State.RETIRED,
        }
        return render(request, "console/space_switch.html", context)
    try:
        waiting = reembedding.go_over(found, actor=str(request.user))
    except Fault as fault:
        messages.error(request, f"{fault}. {fault.hint}")
    except OperationalError:
        messages.error(
            request,
            "It took longer than a request may. What is done is kept: go on with "
            "manage.py reembed --switch.",
        )
    else:
        messages.success(request, f"{found} is current; {waiting} texts wait for their vector.")
    return redirect("console-spaces")
