"""The page that shows what goes, before anything of it does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.http import HttpResponse
from django.shortcuts import render

from accounts.models import Owner
from inspector.http import PageRequest


@dataclass(frozen=True, slots=True)
class DeletionPreview:
    """What is about to go: its words, what else goes, and the form that has it done.

    `derived` is one line each; `fields` are the form's, seen as they were shown.
    """

    owner: Owner
    tab: str
    says: str
    hint: str
    action: str
    back: str
    title: str = ""
    derived: Sequence[str] = ()
    fields: Mapping[str, object] = field(default_factory=dict)


def is_confirmed(request: PageRequest) -> bool:
    return request.POST.get("confirm") == "yes"


def ask(request: PageRequest, preview: DeletionPreview, *, status: int = 200) -> HttpResponse:
    """Show what goes, and ask."""
    context = {"owner": preview.owner, "tab": preview.tab, "preview": preview}
    return render(request, "picture/forget.html", context, status=status)
