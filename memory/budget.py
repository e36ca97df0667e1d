"""How many tokens a text costs, estimated (pure)."""

# What a chat API adds around each message: role and separators.
MESSAGE_TOKENS = 4
HUNDRED = 100
LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
# Hundredths of a token a character costs, by its first byte in UTF-8, which tells the script; the
# bytes that continue a character cost nothing. Fitted to o200k_base on dialogues, Django's
# translations and code. Common bytes stand first: what is counted is not looked at again.
CLASSES = (
    (LETTERS, 20),
    (b" ", 15),
    (bytes(set(range(0x21, 0x80)) - set(LETTERS) - set(b"0123456789")), 70),
    (b"0123456789", 45),
    (bytes(range(0x80, 0xC0)), 0),
    (bytes(range(0xC0, 0xCE)), 95),  # accented Latin: an accent also breaks the word around it
    (bytes(range(0xCE, 0xD0)), 40),  # Greek
    (bytes(range(0xD0, 0xD5)), 30),  # Cyrillic
    (bytes(range(0xD5, 0xE0)), 38),  # Armenian, Hebrew, Arabic
    (bytes(range(0xE0, 0xE2)), 40),  # the scripts of India, Thai, Georgian
    (bytes(range(0xE3, 0xE4)), 65),  # Kana
    (bytes(range(0xE4, 0xEA)), 85),  # Han
    (bytes(range(0xEA, 0xEE)), 65),  # Hangul
    (bytes(range(0x00, 0x21)), 10),  # line ends and tabs
    (bytes([0xE2, 0xEE, 0xEF]), 95),  # typographic signs, full-width forms
    (bytes(range(0xF0, 0x100)), 200),  # emoji
)


def estimate(text: str) -> int:
    """Return about how many tokens a text is, from its scripts; 0 only for the empty text."""
    data, cost = text.encode(errors="surrogatepass"), 0
    for members, weight in CLASSES:
        if not data:
            break
        rest = data.translate(None, members)
        cost += weight * (len(data) - len(rest))
        data = rest
    return -(-cost // HUNDRED)


def estimate_message(text: str) -> int:
    return MESSAGE_TOKENS + estimate(text)
