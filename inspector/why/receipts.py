"""The console's pages of receipts: the list, and one with its replay."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.models import Owner
from inspector.console.asked import rows_of
from inspector.console.door import staff, visible_agents
from inspector.http import PageRequest
from inspector.whose import note_looks
from inspector.why.held import ReceiptPage, changed, contents
from inspector.why.synthesis import worked_in
from inspector.why.visible import receipt_for, receipts_of
from recall.golden.keeping import FIRST
from recall.models import GoldenQuestion, Receipt
from recall.receipts.items import SESSIONS
from recall.replay import replay

LONGEST_NAME = 255
CHANGE_GOLDEN = "recall.change_goldenquestion"


@dataclass(frozen=True, slots=True)
class Golden:
    """The form by which what should come is recorded, and the golden question there is already."""

    known: GoldenQuestion | None
    form: str = "golden"
    first: int = FIRST


@require_GET
@staff
def receipt_list(request: PageRequest) -> HttpResponse:
    """Show what was answered and prompted, newest first."""
    agents = list(visible_agents(request.user))
    agent, kind = request.GET.get("agent", ""), request.GET.get("kind", "")
    user = request.GET.get("user", "").replace("\0", "").strip()[:LONGEST_NAME]
    found = receipts_of(request.user)
    chosen = [one for one in agents if str(one.pk) == agent]
    if chosen:
        found = found.filter(owner__agent__in=chosen)
    if kind in Receipt.Kind.values:
        found = found.filter(kind=kind)
    if user:
        # With their ids the database knows how many receipts they have.
        named = Owner.objects.filter(key=user, agent__in=agents)
        found = found.filter(owner__in=list(named.values_list("pk", flat=True)))
    listed = rows_of(found, request.GET.get("before", ""))
    note_looks(
        request.user, {row.owner_id for row in listed.rows if isinstance(row, Receipt)}, "receipts"
    )
    context = {
        "section": "receipts",
        "listed": listed,
        "agents": agents,
        "agent": agent,
        "kind": kind,
        "kinds": Receipt.Kind.values,
        "user_key": user,
    }
    return render(request, "why/receipt_list.html", context)


@require_GET
@staff
def receipt_detail(request: PageRequest, receipt: UUID) -> HttpResponse:
    """Show what a receipt holds, and on demand what today's memory answers instead."""
    found = receipt_for(request.user, receipt)
    note_looks(request.user, [found.owner_id], "receipt")
    again = replay(found) if request.GET.get("replay") == "yes" else None
    worked = worked_in(found)
    shown = contents(
        owner=found.owner,
        items=() if worked else found.items,
        left_out=() if worked else found.left_out,
        profile=found.profile,
        beside=again.items if again else (),
    )
    context = {
        "section": "receipts",
        "receipt": found,
        "worked": worked,
        "shown": shown,
        "golden": _golden(request, found, shown),
        "replay": again,
        "changes": changed(again, shown.words) if again else [],
    }
    return render(request, "why/receipt.html", context)


def _golden(request: PageRequest, receipt: Receipt, shown: ReceiptPage) -> Golden | None:
    """Return what records a receipt's question; None where nothing can, or not by this person."""
    has_passages = any(row.item.store == SESSIONS for row in [*shown.held, *shown.cut])
    if not (receipt.query and has_passages and request.user.has_perm(CHANGE_GOLDEN)):
        return None
    known = GoldenQuestion.objects.filter(owner=receipt.owner_id, query=receipt.query)
    return Golden(known.first())
