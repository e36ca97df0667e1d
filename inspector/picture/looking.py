"""Pages that look back, and ahead: the time line, and what an agent would see."""

from uuid import uuid4

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.models import Owner
from inspector.faults import in_words, small_print
from inspector.http import PageRequest
from inspector.picture.times import stretch
from inspector.whose import note_look, owner_for
from inspector.why.bar import bar
from inspector.why.held import contents
from memory.models import Session
from recall.errors import BudgetTooSmall
from recall.prompt.preview import Preview, preview_context

LONGEST = 1_000
SHOWN = 20_000


@require_GET
@never_cache
@login_required
def timeline_page(request: PageRequest, owner: int) -> HttpResponse:
    """Show what was said, learned and corrected, month by month."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, "timeline")
    shown = stretch(found, request.GET.get("before", ""))
    return render(
        request, "picture/timeline.html", {"owner": found, "tab": "timeline", "shown": shown}
    )


@require_GET
@never_cache
@login_required
def preview_page(request: PageRequest, owner: int) -> HttpResponse:
    """Show what the agent would be given with a question asked in a new conversation."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, "preview")
    question = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST]
    context: dict[str, object] = {"owner": found, "tab": "preview", "question": question}
    if question:
        try:
            context |= _seen(found, _preview(found, question))
        except BudgetTooSmall as fault:
            context |= {"fault": in_words(fault), "code": small_print(fault)}
    return render(request, "picture/preview.html", context)


def _preview(owner: Owner, question: str) -> Preview:
    # A conversation that is not saved: looking leaves nothing behind.
    return preview_context(session=Session(pk=uuid4(), owner=owner), query=question)


def _seen(owner: Owner, preview: Preview) -> dict[str, object]:
    """Return the prompt, and the receipt that is written of one, as it would be of this."""
    made = preview.prompt
    return {
        "preview": preview,
        "texts": [str(one["content"])[:SHOWN] for one in made.messages],
        "bar": bar([(share.name, share.tokens) for share in preview.shares]),
        "shown": contents(
            owner=owner,
            items=preview.items,
            left_out=preview.left_out,
            profile=made.found.found.profile,
        ),
    }
