"""What an operator does about changes: approve or reject one that waits, take a run back."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.errors import Fault
from consolidation.edits.corrections import take_back
from inspector.console.asked import ROWS
from inspector.console.door import may, staff
from inspector.history.diffs import diffs
from inspector.history.runs import ORIGIN
from inspector.history.visible import run_for
from inspector.http import PageRequest
from inspector.whose import note_looks
from knowledge.changes.review import settle
from knowledge.errors import ChangeNotWaiting, ChangesetFinal, ChangesetOvertaken, ItemChanged
from knowledge.history.as_of import LEARNED
from knowledge.models import ChangeItem, Changeset

Act, State = ChangeItem.Act, ChangeItem.State
MOST_LATER = 5
FINAL = "It holds a deletion, or is itself a run that was taken back: neither is undone."
FAULTS: dict[type[Fault], str] = {
    ChangesetFinal: FINAL,
    ChangesetOvertaken: "Something that it changed has changed again since. Take that later run "
    "back first.",
    ChangeNotWaiting: "It waits no more: somebody has decided it already.",
    ItemChanged: "What it is about is not there any more, or counts no more. Reject it instead.",
}


@require_POST
@staff
def decide(request: PageRequest, run: UUID, place: int, *, approve: bool) -> HttpResponse:
    """Approve or reject a change that waits, with what belongs to the same replacement."""
    may(request, "knowledge.change_changeitem")
    found = run_for(request.user, run)
    item = get_object_or_404(found.items.select_related("changeset"), place=place)
    actor = str(request.user)
    _tell(
        request,
        lambda: settle(item=item, approve=approve, actor=actor),
        "Approved: it is remembered now." if approve else "Rejected: nothing was changed.",
    )
    return redirect("console-change", run=found.pk)


@require_http_methods(["GET", "POST"])
@staff
def revert(request: PageRequest, run: UUID) -> HttpResponse:
    """Say what will come back, and take the run back once that is confirmed."""
    may(request, "knowledge.change_changeset")
    found = run_for(request.user, run)
    if request.method == "POST":
        actor = str(request.user)
        done = "The run is taken back: the memory is as it was before it."
        _tell(request, lambda: take_back(changeset=found, actor=actor), done)
        return redirect("console-change", run=found.pk)
    note_looks(request.user, [found.owner_id], "changes")
    items = found.items.filter(state__in=(State.APPLIED, State.WAITING)).order_by("place")
    count = items.count()
    context = {
        "section": "history",
        "run": found,
        "origin": ORIGIN.get(found.origin, found.origin),
        "final": FINAL if _is_final(found) else "",
        "diffs": diffs(found.owner, list(items[:ROWS]), backward=True),
        "later": _later(found),
        "more": max(count - ROWS, 0),
        "count": count,
    }
    return render(request, "history/revert.html", context)


def _is_final(run: Changeset) -> bool:
    is_revert = run.origin == Changeset.Origin.REVERT
    return is_revert or run.items.filter(act=Act.DELETE).exists()


def _later(run: Changeset) -> list[Changeset]:
    """Return the runs that have changed the same facts, sessions and rules since."""
    touched = run.items.filter(kind__in=LEARNED, state=State.APPLIED).values("target")
    since = ChangeItem.objects.filter(target__in=touched, state=State.APPLIED)
    rows = Changeset.objects.filter(owner=run.owner_id, pk__gt=run.pk)
    return list(rows.filter(pk__in=since.values("changeset")).order_by("-pk")[:MOST_LATER])


def _tell(request: PageRequest, act: Callable[[], object], done: str) -> None:
    """Do an act, and say how it went."""
    try:
        act()
    except tuple(FAULTS) as fault:
        messages.error(request, FAULTS[type(fault)])
    else:
        messages.success(request, done)
