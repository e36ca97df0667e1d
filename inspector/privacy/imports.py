"""Bring back what was taken along: look at a file first, then have it taken in."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.errors import Fault
from accounts.models import Owner
from consolidation.models import Import
from consolidation.portable.parts import FILES, PARTS
from consolidation.portable.reading.document import MOST_BYTES
from consolidation.portable.request import confirm_import, prepare_import, progress_of
from inspector.faults import tell_fault
from inspector.http import PageRequest, wants_part
from inspector.whose import note_look, owner_for, owner_to_change
from knowledge.changes.apply import revert_changeset
from knowledge.models import Changeset


@dataclass(frozen=True, slots=True)
class ImportLine:
    """What a file has, or had, of one kind."""

    name: str
    added: int
    known: int
    forgotten: int
    unwanted: int


@require_POST
@login_required
def give(request: PageRequest, owner: int) -> HttpResponse:
    """Keep a file, and lead to what would come of it."""
    found = owner_to_change(request.user, owner)
    file = request.FILES.get("file")
    if file is None or not file.size or file.size > MOST_BYTES:
        messages.error(request, f"Choose a file of at most {MOST_BYTES // 1024 // 1024} megabytes.")
        return redirect("memory-privacy", owner=found.pk)
    try:
        # Whose it is stands on the page that asks for their word.
        made, _ = prepare_import(owner=found, data=file.read(), actor=str(request.user), of=None)
    except Fault as fault:
        tell_fault(request, fault, "This file cannot be taken in; nothing has changed.")
        return redirect("memory-privacy", owner=found.pk)
    return redirect("import", owner=found.pk, one=made.pk)


@require_GET
@never_cache
@login_required
@vary_on_headers("HX-Request")
def show(request: PageRequest, owner: int, one: UUID) -> HttpResponse:
    """Show what would come, how far it is, or what has come; htmx asks for the bar alone."""
    found = owner_for(request.user, owner)
    note_look(request.user, found, "import")
    row = _import(found, one)
    runs = Changeset.objects.filter(owner=found)
    made = runs.filter(pk=row.changeset).first() if row.changeset else None
    lines = lines_of(row.counts)
    context = {
        "owner": found,
        "import": row,
        "percent": round(100 * progress_of(row)),
        "lines": lines,
        "added": sum(line.added for line in lines),
        "forgotten": sum(line.forgotten for line in lines),
        "unwanted": sum(line.unwanted for line in lines),
        "can_revert": made is not None and made.reverted_at is None,
        "is_reverted": made is not None and made.reverted_at is not None,
    }
    template = "privacy/import.html" + ("#progress" if wants_part(request) else "")
    return render(request, template, context)


@require_POST
@login_required
def confirm(request: PageRequest, owner: int, one: UUID) -> HttpResponse:
    """Have it taken in."""
    found = owner_to_change(request.user, owner)
    try:
        confirm_import(waiting=_import(found, one), actor=str(request.user))
    except Fault as fault:
        tell_fault(request, fault)
    return redirect("import", owner=found.pk, one=one)


@require_POST
@login_required
def revert(request: PageRequest, owner: int, one: UUID) -> HttpResponse:
    """Take back what was learned from a file."""
    found = owner_to_change(request.user, owner)
    row = _import(found, one)
    made = get_object_or_404(Changeset.objects.filter(owner=found), pk=row.changeset)
    try:
        revert_changeset(changeset=made, actor=str(request.user))
    except Fault as fault:
        tell_fault(request, fault)
    else:
        messages.success(request, "Taken back.")
    return redirect("import", owner=found.pk, one=one)


def lines_of(counts: Mapping[str, Mapping[str, int]]) -> list[ImportLine]:
    """Return what came of each kind, in plain words."""
    return [
        ImportLine(
            PARTS[name].plain if name in PARTS else name,
            found.get("added", 0),
            found.get("known", 0),
            found.get("forgotten", 0),
            found.get("unwanted", 0),
        )
        for name in (*PARTS, FILES)
        if (found := counts.get(name))
    ]


def _import(owner: Owner, one: UUID) -> Import:
    found: Import = get_object_or_404(Import.objects.filter(owner=owner).defer("file"), pk=one)
    return found
