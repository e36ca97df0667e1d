"""The tools of a person: what is known of each, switched off, corrected and forgotten."""

from collections.abc import Mapping
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.models import Connection, Owner
from consolidation.edits.own import forget_tool
from inspector.http import PageRequest
from inspector.picture.forgetting import DeletionPreview, ask, is_confirmed
from inspector.picture.pages import tell, version_seen
from inspector.picture.reading import tools_of
from inspector.whose import owner_to_change
from knowledge.connections import change_connection

PAGES: Mapping[str, str] = {"profile": "memory-profile", "notes": "memory-notes"}
LONGEST = 10_000


@require_POST
@login_required
def switch(request: PageRequest, owner: int, connection: UUID) -> HttpResponse:
    """Let a tool come into every conversation, or into those alone that ask for it."""
    found = owner_to_change(request.user, owner)
    is_active = request.POST.get("active") == "yes"
    done = "Switched on." if is_active else "Switched off."
    _change(request, _of(found, connection), {"is_active": is_active}, done)
    return _back(request, found)


@require_POST
@login_required
def change(request: PageRequest, owner: int, connection: UUID) -> HttpResponse:
    """Write anew one text that was learned of a tool."""
    found = owner_to_change(request.user, owner)
    row = _of(found, connection)
    key, text = request.POST.get("key", ""), request.POST.get("value", "").strip()[:LONGEST]
    known = row.persistent_learned_info
    if isinstance(known.get(key), str) and text and "\0" not in text:
        fields = {"persistent_learned_info": {**known, key: text}}
        _change(request, row, fields, "Saved.")
    return _back(request, found)


@require_POST
@login_required
def forget(request: PageRequest, owner: int, connection: UUID) -> HttpResponse:
    """Forget what was learned of a tool; first asked, then done."""
    found = owner_to_change(request.user, owner)
    row = _of(found, connection)
    if not is_confirmed(request):
        return ask(request, _preview(request, row))
    tell(
        request,
        lambda: forget_tool(connection=row, actor=str(request.user)),
        "Forgotten.",
    )
    return _back(request, found)


def _preview(request: PageRequest, row: Connection) -> DeletionPreview:
    page = _page(request)
    return DeletionPreview(
        owner=row.owner,
        tab=page,
        title=f"{row.tool} {row.name}",
        says="\n".join(f"{note.key}: {note.text}" for note in tools_of([row])[0].notes),
        hint="What was learned of it goes for good; the tool stays.",
        action=reverse("memory-tool-forget", args=(row.owner_id, row.pk)),
        back=reverse(PAGES[page], args=(row.owner_id,)),
        fields={"page": page},
    )


def _of(owner: Owner, connection: UUID) -> Connection:
    row: Connection = get_object_or_404(
        Connection.objects.filter(owner=owner).select_related("owner__agent"), pk=connection
    )
    return row


def _change(request: PageRequest, row: Connection, fields: Mapping[str, object], done: str) -> None:
    """Change a tool in the version that was seen."""
    version = version_seen(request)
    tell(
        request,
        lambda: change_connection(
            connection=row, actor=str(request.user), fields=fields, version=version
        ),
        done,
    )


def _back(request: PageRequest, owner: Owner) -> HttpResponse:
    return redirect(PAGES[_page(request)], owner=owner.pk)


def _page(request: PageRequest) -> str:
    page = request.POST.get("page", "")
    return page if page in PAGES else "notes"
