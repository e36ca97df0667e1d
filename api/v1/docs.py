"""The schema as a page: nothing of it is fetched from elsewhere."""

from functools import cache
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from api.reference import ApiCall, Shape, calls, shapes


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    groups, named = _reference()
    return render(request, "api/docs.html", {"groups": groups, "shapes": named})


@cache
def _reference() -> tuple[list[tuple[str, list[ApiCall]]], list[Shape]]:
    """Read the schema once: it changes with the code alone."""
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    found = sorted(calls(document), key=lambda call: (call.group, call.path))
    grouped = [(name, list(rows)) for name, rows in groupby(found, key=lambda call: call.group)]
    return grouped, shapes(document)
