"""The version of the row that a caller has seen, from the If-Match header."""

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

HEADER = "If-Match"
IF_MATCH = OpenApiParameter(
    HEADER, str, OpenApiParameter.HEADER, description='The version last seen, as `"3"`.'
)


def version_of(request: Request) -> int | None:
    """Return the version that was sent, or None. Raises ValidationError for another text."""
    text = request.headers.get(HEADER)
    if text is None:
        return None
    digits = text.strip().strip('"')
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 9):
        raise ValidationError({HEADER: ['a version in quotes, as "3"']})
    return int(digits)


def version_demanded(request: Request) -> int:
    """Return the version that was sent. Raises ValidationError without one."""
    version = version_of(request)
    if version is None:
        raise ValidationError({HEADER: ["name the version that you have seen"]})
    return version
