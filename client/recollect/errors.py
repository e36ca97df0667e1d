"""What can go wrong, by what a caller can do about it."""

from collections.abc import Mapping

import httpx2


class RecollectError(Exception):
    """The server's answer: `code` is stable, `hint` says what to do next."""

    def __init__(
        self,
        title: str,
        *,
        status: int = 0,
        code: str = "",
        hint: str = "",
        detail: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(f"{title} ({code}). {hint}".strip())
        self.status, self.code, self.hint = status, code, hint
        self.detail: Mapping[str, object] = detail or {}


class Forbidden(RecollectError):
    """The key is unknown, or may not do this."""


class NotFound(RecollectError):
    """There is no such thing, or it is not yours to see."""


class Conflict(RecollectError):
    """Not in this state, or changed since it was read."""


class Invalid(RecollectError):
    """The request does not fit; `detail` names the fields."""


class Throttled(RecollectError):
    """Too many requests of this key, for longer than was worth waiting."""


class Unavailable(RecollectError):
    """The server failed, again and again."""


class Unreachable(RecollectError):
    """No answer came."""


BY_STATUS: Mapping[int, type[RecollectError]] = {
    401: Forbidden,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Conflict,
    429: Throttled,
}


def error_of(answer: httpx2.Response) -> RecollectError:
    """Return what a failed answer says, whether or not it is problem details."""
    status = answer.status_code
    kind = BY_STATUS.get(status, Unavailable if status >= 500 else Invalid)
    try:
        said: object = answer.json()
    except ValueError:
        said = None
    found = said if isinstance(said, dict) else {}
    detail = found.get("detail")
    return kind(
        str(found.get("title", f"status {status}")),
        status=status,
        code=str(found.get("code", "")),
        hint=str(found.get("hint", "")),
        detail=detail if isinstance(detail, dict) else None,
    )
