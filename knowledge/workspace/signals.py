"""What shows that something went wrong: a tool's failure, a user's correction (pure)."""

import json
import re
from collections.abc import Mapping

# A message that begins with one of these takes back, or asks for, the way it is done.
CORRECTIONS = (
    "no,",
    "nope",
    "wrong",
    "incorrect",
    "that's not",
    "that is not",
    "that's wrong",
    "that's incorrect",
    "actually,",
    "i meant",
    "i said",
    "you should",
    "don't do",
    "do not do",
    "stop doing",
    "not what i",
    "please don't",
    "please do not",
    "instead,",
    "correction:",
    "fix:",
    "i prefer",
    "from now on",
)
# Words end where they end: "wrongly" is none of them.
# "No, that's all" corrects nothing.
DECLINED = re.compile(
    r"(?:no,|nope[,.]?) (?:thanks|thank you|nothing|not yet|not really|all good|i'm (?:good|fine|done|ok)"
    r"|(?:that's|that is|that was|that'll be|it's) "
    r"(?:all|it|the lot|fine|ok|okay|good|great|perfect|enough|everything|right|correct))\b"
)
SIGNAL = re.compile(rf"(?:{'|'.join(map(re.escape, CORRECTIONS))})(?![a-z])")
FAILED = re.compile(r"\s*(?:error\b|traceback \(most recent call last\))", re.IGNORECASE)


def is_correction(text: str) -> bool:
    """Say whether a message of the user begins as a correction or a preference does."""
    plain = text.lstrip().lower().replace("\u2019", "'")
    return bool(SIGNAL.match(plain)) and not DECLINED.match(plain)


def failure_in(payload: Mapping[str, object]) -> str:
    """Return what a tool's result says went wrong; empty where nothing did."""
    content = payload.get("content")
    text = content if isinstance(content, str) else ""
    for fields in (payload, _object(text)):
        error = fields.get("error")
        if error:
            return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
        if fields.get("is_error") is True or fields.get("isError") is True:
            return _said(fields) or text or "failed"
    return text.strip() if FAILED.match(text) else ""


def _said(fields: Mapping[str, object]) -> str:
    found = fields.get("message") or fields.get("content")
    return found if isinstance(found, str) else ""


def _object(text: str) -> Mapping[str, object]:
    if not text.lstrip().startswith("{"):
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
