"""The shape in which clients of chat APIs read an error."""

from collections.abc import Mapping

from rest_framework.response import Response

from api.errors import problem
from consolidation.chat.errors import Busy


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
