"""In which format to answer: nearly all callers take the one there is."""

from collections.abc import Iterable

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

ANYTHING = "*/*"


class FirstForAnybody(DefaultContentNegotiation):
    """Weigh media types only for who names several, or another than the first of the view."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        offered = list(renderers)
        first = offered[0]
        wanted = request.META.get("HTTP_ACCEPT", ANYTHING)
        if format_suffix is None and wanted in {ANYTHING, first.media_type}:
            return first, first.media_type or ""
        renderer, media_type = super().select_renderer(request, offered, format_suffix)
        return renderer, media_type
