"""No page of a stranger's reaches this server through its reader's browser."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

if TYPE_CHECKING:  # the framework loads this module while it loads its views
    from rest_framework.views import APIView


class KnownOrigin(BasePermission):
    """No `Origin`, as programs send none, or the server's own, or one of RECOLLECT_ORIGINS.

    `Host` is checked by Django: a name that was bent to this address is refused before this.
    """

    message = "this origin is not trusted; see RECOLLECT_ORIGINS"

    def has_permission(self, request: Request, view: "APIView") -> bool:
        origin = request.headers.get("Origin")
        if origin is None:
            return True
        return origin in settings.CSRF_TRUSTED_ORIGINS or _names(origin, request)


def _names(origin: str, request: Request) -> bool:
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    return found.scheme in {"http", "https"} and found.netloc == request.get_host()
