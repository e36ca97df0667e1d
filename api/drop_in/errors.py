"""What can go wrong in the drop-in, and the shape in which clients of chat APIs read it."""

from collections.abc import Mapping

from rest_framework.response import Response

from accounts.errors import Fault
from api.errors import problem


class Busy(Fault):
    """As many answers are under way as this process has threads for."""

    code = "drop_in_busy"
    status = 503
    hint = "Try again in a second, or raise RECOLLECT_DROP_IN_AT_ONCE with the server's threads."


class UpstreamMissing(Fault):
    """No chat model is configured, and the rules are switched off."""

    code = "upstream_missing"
    status = 503
    hint = "Set OPENAI_API_KEY, or OPENAI_BASE_URL, for the model that is to answer."


class UpstreamUnreachable(Fault):
    """The configured model gives no answer."""

    code = "upstream_unreachable"
    status = 502
    hint = "Look at OPENAI_BASE_URL; what was said is kept, and may be sent again as it is."


def as_chat_api(error: Exception, context: Mapping[str, object]) -> Response | None:
    """Turn a failure into `{"error": {…}}`, with our code and hint in it."""
    answer = problem(error, context)
    if answer is None:
        return None
    found = answer.data
    answer.data = {
        "error": {
            "message": f"{found['title']}. {found['hint']}",
            "type": "recollect_error",
            "code": found["code"],
            "param": None,
            "detail": found.get("detail"),
        }
    }
    answer.content_type = "application/json"
    if isinstance(error, Busy):
        answer["Retry-After"] = "1"
    return answer
