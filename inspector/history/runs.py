"""Runs of changes: the list of them, and one with every change."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Count, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.models import Owner
from inspector.console.asked import ROWS, DateRange, asked_of, rows_of
from inspector.console.door import staff
from inspector.history.diffs import diffs
from inspector.history.visible import run_for, runs_of
from inspector.http import PageRequest
from inspector.whose import note_looks
from knowledge.models import ChangeItem, Changeset

State = ChangeItem.State
ORIGIN = {
    "turn": "a turn of a conversation",
    "session_end": "the end of a conversation",
    "synthesis": "the picture of the user",
    "retention": "kept long enough",
    "person": "the person",
    "operator": "an operator",
    "agent": "the agent",
    "revert": "a run taken back",
    "import": "a file that was taken in",
}
STATES = {"waiting": "waits for a decision", "reverted": "taken back", "standing": "stands"}
# In the order in which a list tells of them: the word for one, and for several.
COUNTED = {
    "fact": ("fact", "facts"),
    "arc": ("session", "sessions"),
    "rule": ("rule", "rules"),
    "narrative": ("narrative", "narratives"),
    "scaffold": ("place of the profile", "places of the profile"),
    "learned_info": ("text", "texts"),
    "document": ("document", "documents"),
    "profile": ("switch", "switches"),
}


@dataclass(frozen=True, slots=True)
class RunLine:
    """A line of the list: names and numbers, and no one's words."""

    made: Changeset
    origin: str
    counts: str
    waiting: int


@require_GET
@staff
def run_list(request: PageRequest) -> HttpResponse:
    """Show runs without their words, the newest first."""
    asked = asked_of(request.user, request.GET)
    listed = rows_of(_asked_for(request, asked), request.GET.get("before", ""))
    rows = [one for one in listed.rows if isinstance(one, Changeset)]
    context = {
        "section": "history",
        "asked": asked,
        "origins": ORIGIN,
        "states": STATES,
        "given": {name: request.GET.get(name, "") for name in ("origin", "user", "state")},
        "session": request.GET.get("session", ""),
        "listed": listed,
        "runs": _counted(rows),
    }
    return render(request, "history/runs.html", context)


@require_GET
@staff
def run_detail(request: PageRequest, run: UUID) -> HttpResponse:
    """Show each change of a run, before and after, with its evidence and why it was made."""
    found = run_for(request.user, run)
    note_looks(request.user, [found.owner_id], "changes")
    page = Paginator(found.items.order_by("place"), ROWS).get_page(request.GET.get("page"))
    context = {
        "section": "history",
        "run": found,
        "origin": ORIGIN.get(found.origin, found.origin),
        "reversal": getattr(found, "reverted_by", None),
        "before": found.created_at - timedelta(microseconds=1),
        "page": page,
        "diffs": diffs(found.owner, list(page)),
        "may_decide": request.user.has_perm("knowledge.change_changeitem"),
        "may_revert": request.user.has_perm("knowledge.change_changeset"),
    }
    return render(request, "history/run.html", context)


def _asked_for(request: PageRequest, asked: DateRange) -> QuerySet[Changeset]:
    rows = runs_of(request.user)
    origin, state = request.GET.get("origin", ""), request.GET.get("state", "")
    user = request.GET.get("user", "").strip().replace("\0", "")
    if asked.agent:
        rows = rows.filter(owner__agent__in=asked.agents)
    if origin in ORIGIN:
        rows = rows.filter(origin=origin)
    if user:
        rows = rows.filter(owner__in=_named(user, asked))
    if state == "waiting":
        waiting = ChangeItem.objects.filter(state=State.WAITING)
        rows = rows.filter(pk__in=waiting.values("changeset"))
    elif state in STATES:
        rows = rows.filter(reverted_at__isnull=state == "standing")
    session = _id(request.GET.get("session", ""))
    return rows.filter(session=session) if session else rows


def _named(user: str, asked: DateRange) -> list[int]:
    owners = Owner.objects.filter(agent__in=asked.agents, key=user)
    return list(owners.values_list("pk", flat=True))


def _counted(rows: Sequence[Changeset]) -> list[RunLine]:
    items = ChangeItem.objects.filter(changeset__in=rows).values("changeset", "kind", "state")
    by: dict[UUID, Counter[str]] = defaultdict(Counter)
    waiting: Counter[UUID] = Counter()
    for one in items.annotate(count=Count("pk")).order_by():
        by[one["changeset"]][one["kind"]] += one["count"]
        if one["state"] == State.WAITING:
            waiting[one["changeset"]] += one["count"]
    return [
        RunLine(one, ORIGIN.get(one.origin, one.origin), _said(by[one.pk]), waiting[one.pk])
        for one in rows
    ]


def _said(counts: Mapping[str, int]) -> str:
    """Return how much a run changed, in words."""
    found = [
        f"{counts[kind]} {several if counts[kind] != 1 else one}"
        for kind, (one, several) in COUNTED.items()
        if kind in counts
    ]
    return ", ".join(found) or "nothing"


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
