"""The Idempotency-Key of a request."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

LONGEST = 255
KEY = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER, description="1 to 255 visible characters."
)


def key_of(request: Request) -> str | None:
    """Return the header, or None. Raises ValidationError unless it is 1 to 255 visible characters."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not (0 < len(key) <= LONGEST and key.isascii() and key.isprintable()):
        raise ValidationError({"Idempotency-Key": ["1 to 255 visible ASCII characters"]})
    return key
