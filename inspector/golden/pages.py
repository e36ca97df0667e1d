"""The console's page of golden questions: the set, and what another setting makes of it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_POST

from accounts.errors import Fault
from accounts.models import User
from inspector.console.asked import rows_of
from inspector.console.door import may, staff, visible_agents
from inspector.golden.forms import ExpectForm, TryForm
from inspector.golden.trial import Trial, trial
from inspector.http import PageRequest
from inspector.whose import note_looks
from inspector.why.receipts import CHANGE_GOLDEN
from inspector.why.visible import receipt_for
from recall.golden.expecting import said_of
from recall.golden.keeping import drop_question, keep_receipt
from recall.models import GoldenQuestion
from recall.receipts.items import SESSIONS, read_items


@dataclass(frozen=True, slots=True)
class GoldenRow:
    """A question of the set, and the words that are left of what should come."""

    question: GoldenQuestion
    expected: Collection[str]

    @property
    def forgotten(self) -> int:
        return len(self.question.expected) - len(self.expected)


@require_GET
@staff
def golden_list(request: PageRequest) -> HttpResponse:
    """Show the set, newest first, by agent."""
    return _shown(request, TryForm(request.GET, person=request.user))


@require_POST
@staff
def golden_try(request: PageRequest) -> HttpResponse:
    """Ask the questions as today and under another setting; nothing is written."""
    may(request, CHANGE_GOLDEN)
    form = TryForm(request.POST, person=request.user)
    if not form.is_valid():
        return _shown(request, form, status=422)
    questions = _questions(request.user, form)
    try:
        tried = trial(questions, variant=form.variant, agent=form.chosen)
    except Fault as fault:
        messages.error(request, f"{fault}. {fault.hint}")
        return _shown(request, form, status=fault.status)
    note_looks(request.user, {row.question.owner_id for row in tried.rows}, "golden")
    return _shown(request, form, tried)


@require_POST
@staff
def golden_keep(request: PageRequest, receipt: UUID) -> HttpResponse:
    """Record that the ticked results of a receipt should come; none are its first ones."""
    may(request, CHANGE_GOLDEN)
    found = receipt_for(request.user, receipt)
    items = read_items([*found.items, *found.left_out])
    form = ExpectForm(request.POST, results=[one.id for one in items if one.store == SESSIONS])
    if not form.is_valid():
        messages.error(request, "Nothing was recorded: tick results of this receipt.")
        return redirect("console-receipt", receipt=found.pk)
    ticked = [UUID(one) for one in form.cleaned_data["expected"]]
    try:
        kept = keep_receipt(
            receipt=found,
            actor=str(request.user),
            expected=ticked or None,
            note=form.cleaned_data["note"],
        )
    except Fault as fault:
        messages.error(request, f"{fault}. {fault.hint}", extra_tags=fault.code)
    else:
        messages.success(request, _said(kept.question, is_new=kept.is_new))
    return redirect("console-receipt", receipt=found.pk)


@require_POST
@staff
def golden_drop(request: PageRequest, question: UUID) -> HttpResponse:
    """Take a question out of the set."""
    may(request, CHANGE_GOLDEN)
    found: GoldenQuestion = get_object_or_404(questions_of(request.user), pk=question)
    drop_question(question=found, actor=str(request.user))
    messages.success(request, "The question is no longer golden.")
    return redirect("console-golden")


def questions_of(person: User) -> QuerySet[GoldenQuestion]:
    """Return the questions of the organization's agents."""
    agents = visible_agents(person).order_by().values("pk")
    rows: QuerySet[GoldenQuestion] = GoldenQuestion.objects.filter(owner__agent__in=agents)
    return rows.select_related("owner__agent", "receipt")


def _questions(person: User, form: TryForm) -> QuerySet[GoldenQuestion]:
    found = questions_of(person)
    return found.filter(owner__agent=form.chosen) if form.chosen else found


def _shown(
    request: PageRequest, form: TryForm, tried: Trial | None = None, *, status: int = 200
) -> HttpResponse:
    listed = rows_of(_questions(request.user, form), request.GET.get("before", ""))
    questions = [one for one in listed.rows if isinstance(one, GoldenQuestion)]
    note_looks(request.user, {one.owner_id for one in questions}, "golden")
    context = {
        "section": "golden",
        "form": form,
        "trial": tried,
        "listed": listed,
        "rows": _rows(questions),
        "may_change": request.user.has_perm(CHANGE_GOLDEN),
    }
    return render(request, "golden/golden.html", context, status=status)


def _rows(questions: Sequence[GoldenQuestion]) -> list[GoldenRow]:
    said = said_of(questions)
    found = []
    for one in questions:
        known = said.get(one.owner_id, {})
        found.append(GoldenRow(one, [known[event] for event in one.expected if event in known]))
    return found


def _said(question: GoldenQuestion, *, is_new: bool) -> str:
    count = len(question.expected)
    how = "Recorded" if is_new else "Replaced what was recorded before"
    return format_html(
        '{}: {} event{} should come. <a href="{}">Golden questions</a>',
        how,
        count,
        "" if count == 1 else "s",
        reverse("console-golden"),
    )
