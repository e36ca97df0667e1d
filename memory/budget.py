"""How many tokens a text costs (pure)."""

import re

# Scripts written without spaces cost about a token a character; others about four characters.
DENSE = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)
CHARACTERS_PER_TOKEN = 4
# What a chat API adds around each message: role and separators.
MESSAGE_TOKENS = 4


def estimate(text: str) -> int:
    """Return a token count for a text, from its scripts; 0 only for the empty text.

    Dense scripts count one per character. Others count a quarter of their UTF-8 bytes, which is
    near four characters for English and two for Cyrillic or Arabic.
    """
    dense = len(DENSE.findall(text))
    loose = (
        len(DENSE.sub("", text).encode(errors="surrogatepass"))
        if dense
        else len(text.encode(errors="surrogatepass"))
    )
    return dense + -(-loose // CHARACTERS_PER_TOKEN)


def estimate_message(text: str) -> int:
    return MESSAGE_TOKENS + estimate(text)
