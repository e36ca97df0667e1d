"""One shape for every failure: problem details with a stable code and a hint."""

import logging
import math
from collections.abc import Mapping

import orjson
from django.core.exceptions import DisallowedHost
from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import page_not_found, server_error
from rest_framework.exceptions import (
    APIException,
    AuthenticationFailed,
    NotAuthenticated,
    NotFound,
    ParseError,
    Throttled,
    ValidationError,
)
from rest_framework.response import Response

from accounts.errors import Fault

log = logging.getLogger(__name__)
# Addresses that programs call: they read problems and no pages.
PROGRAMS = ("/api/", "/mcp", "/v1/", "/health/", "/metrics")
PROBLEM = "application/problem+json"
HINTS = {
    "authentication_failed": "Send `Authorization: Bearer <key>` with a key that is valid now.",
    "not_authenticated": "Send `Authorization: Bearer <key>`.",
    "permission_denied": "Use a key that has the scope.",
    "not_found": "There is no such thing, or it is not yours to see.",
    "method_not_allowed": "See /api/v1/schema for what this address takes.",
    "unsupported_media_type": "Send `Content-Type: application/json`.",
    "unknown_host": "Call it by a name that RECOLLECT_HOSTS lists, or add the name there.",
    "parse_error": "Send one JSON value in UTF-8.",
    "body_too_large": "Split the batch.",
    "throttled": "Wait the seconds that the Retry-After header names, then send it again.",
    "invalid": "See `detail` for each field.",
    "database_unavailable": "Nothing was stored. Try again in a few seconds, with the same Idempotency-Key.",
    "value_unstorable": "A value is outside what the database can hold.",
    "internal_error": "The failure is in the server's log.",
}

UNREADABLE = {
    "heading": "This could not be read",
    "words": "What was sent is broken, or is more than a form may hold. Nothing was changed. Go "
    "back, reload the page, and try again.",
    "code": ParseError.default_code,
}
UNKNOWN_HOST = {
    "heading": "Nothing is here under this name",
    "words": "The server is reached, but does not answer to the name in the address. Use the "
    "address that you were given; whoever keeps the server can add this one (RECOLLECT_HOSTS).",
    "code": "unknown_host",
}


def problem(error: Exception, context: Mapping[str, object]) -> Response | None:
    """Turn what a view raised into an answer; None for what nobody foresaw."""
    if isinstance(error, Fault):
        return _answer(error.status, error.code, str(error), error.hint, error.detail)
    if isinstance(error, OperationalError | InterfaceError):
        log.error("database: %s", type(error).__name__)
        response = _answer(503, "database_unavailable", "the database did not answer")
        response["Retry-After"] = "5"
        return response
    if isinstance(error, DataError):
        return _answer(400, "value_unstorable", "a value cannot be stored")
    if isinstance(error, Http404):
        error = NotFound()
    if isinstance(error, APIException):
        return _of_framework(error)
    return None


def _of_framework(error: APIException) -> Response:
    if isinstance(error, ValidationError):
        # A body of `null` fails before there are fields to name.
        fields = (
            error.detail if isinstance(error.detail, dict) else {"non_field_errors": error.detail}
        )
        return _answer(422, "invalid", "the request does not fit", detail={"fields": fields})
    code = str(error.default_code)
    response = _answer(error.status_code, code, str(error.detail))
    if isinstance(error, NotAuthenticated | AuthenticationFailed):
        response["WWW-Authenticate"] = "Bearer"
    if isinstance(error, Throttled):
        response["Retry-After"] = str(max(math.ceil(getattr(error, "wait", 0) or 0), 1))
    return response


def body(
    status: int, code: str, title: str, hint: str = "", detail: object = None
) -> dict[str, object]:
    found: dict[str, object] = {"status": status, "code": code, "title": title}
    found["hint"] = hint or HINTS.get(code, "")
    if detail:
        found["detail"] = detail
    return found


def _answer(status: int, code: str, title: str, hint: str = "", detail: object = None) -> Response:
    return Response(body(status, code, title, hint, detail), status=status, content_type=PROBLEM)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an unknown address: with problem details where programs call, with a page elsewhere."""
    if not request.path.startswith(PROGRAMS):
        return page_not_found(request, exception)
    return _plain(404, "not_found", "there is no such address")


def failed(request: HttpRequest) -> HttpResponse:
    if not request.path.startswith(PROGRAMS):
        return server_error(request)
    return _plain(500, "internal_error", "this should not have happened")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what cannot be read: a broken form, one of too many fields, a name that is not ours."""
    is_unknown = isinstance(exception, DisallowedHost)
    if not request.path.startswith(PROGRAMS):
        words = UNKNOWN_HOST if is_unknown else UNREADABLE
        return render(request, "fault.html", words, status=400)
    if is_unknown:
        return _plain(400, "unknown_host", "this server does not answer to the name in `Host`")
    return _plain(400, ParseError.default_code, "the request cannot be read")


def _plain(status: int, code: str, title: str) -> HttpResponse:
    return HttpResponse(
        orjson.dumps(body(status, code, title)), status=status, content_type=PROBLEM
    )
