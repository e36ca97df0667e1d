"""What a browser may load for a page of ours: nothing from elsewhere, and no script in a page."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

HEADER = "Content-Security-Policy"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)


def name_the_policy(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Name the policy in every answer but Django's debug pages, which bring styles of their own."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not (settings.DEBUG and response.status_code in {404, 500}):
            response.headers.setdefault(HEADER, POLICY)
        return response

    return answer
