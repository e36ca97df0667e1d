"""From an answer to a result, for both clients."""

from typing import TypeVar

import httpx2

from recollect.calls import Call
from recollect.errors import Unreachable, error_of

Result = TypeVar("Result")
URL = "http://127.0.0.1:8710"
SECONDS = 30.0
RETRIES = 4


def read(call: Call[Result], answer: httpx2.Response, tries: int) -> Result:
    """Return the call's result. Raises RecollectError."""
    # A deletion whose first answer was lost finds nothing the second time.
    is_gone = call.method == "DELETE" and tries > 0 and answer.status_code == 404
    if answer.is_success or is_gone:
        return call.read(answer.json() if answer.content and not is_gone else {})
    raise error_of(answer)


def unreachable(error: httpx2.TransportError | None) -> Unreachable:
    return Unreachable(
        f"no answer: {type(error).__name__}",
        code="unreachable",
        hint="Look whether the server runs, and at its address.",
    )
