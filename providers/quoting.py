"""Texts as quoted data: nothing that was once said can step out and give orders."""

import json
import re
import secrets
from collections.abc import Mapping, Sequence

# Characters that show nothing and change what is read: bidi controls, zero width, tags.
INVISIBLE = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")


def visible(text: str) -> str:
    return INVISIBLE.sub("", text)


def quote(item: Mapping[str, object]) -> str:
    """Return one line of JSON in which no tag can stand."""
    # Angle brackets escaped: no item can hold a tag, whatever the nonce.
    return json.dumps(item, ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e")


def enclose(name: str, lines: Sequence[str], nonce: str) -> str:
    return "\n".join([f"<{name}-{nonce}>", *lines, f"</{name}-{nonce}>"])


def new_nonce() -> str:
    """Return what nobody can foresee, for a closing tag."""
    return secrets.token_hex(8)
