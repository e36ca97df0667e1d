"""Secrets, found by their form and replaced by a word for their kind (pure; linear patterns)."""

import re
from collections.abc import Callable

PLACEHOLDER = re.compile(r"\[redacted:[a-z_]{1,30}\]")
SHORTEST_CARD, LONGEST_CARD = 13, 19
IBAN_LENGTHS = range(15, 35)
# In their order: a key with a prefix is told from the password that it may stand beside.
PATTERNS: dict[str, re.Pattern[str]] = {
    "private_key": re.compile(
        r"-----BEGIN (?:[A-Z]{1,10} ){0,2}PRIVATE KEY-----[^-]{0,10000}(?:-----END [A-Z ]{1,30}-----)?"
    ),
    "token": re.compile(
        r"\beyJ[\w-]{10,2000}\.[\w-]{5,4000}\.[\w-]{5,1000}"
        r"|\bgh[pousr]_[A-Za-z0-9]{30,255}\b|\bgithub_pat_\w{30,255}\b|\bglpat-[\w-]{20,100}\b"
        r"|\bxox[abposr]-[\w-]{10,250}|\bya29\.[\w-]{20,500}|\bnpm_[A-Za-z0-9]{30,100}\b"
        r"|\bpypi-[\w-]{30,500}|\bhf_[A-Za-z0-9]{30,100}\b"
    ),
    "api_key": re.compile(
        r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[\w-]{16,250}"
        r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{35}|\bSG\.[\w-]{16,40}\.[\w-]{30,60}"
    ),
    "header": re.compile(r"(?i)\b(?:bearer|basic) [A-Za-z0-9+/._~=-]{16,1000}"),
    "credentials": re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@]{1,100}:[^\s/@]{1,200}@"),
    "password": re.compile(
        r"(?i)(?:\b(?:pass ?word|passwd|pwd|pass ?phrase|passcode|passwort|kennwort|mot de passe"
        r"|contraseña|clave|senha|parola)|пароль|密码|密碼|パスワード)"
        r"(?:\s{0,3}[:=\uff1a]\s{0,3}|\s{1,3}(?:is|ist|est|es|é|è|это)\s{1,3}|\s{0,3}(?:是|は)\s{0,3})"
        r"(?:\"[^\"\n]{3,100}\"|'[^'\n]{3,100}'|(?=\S{0,60}?[\d!@#$%^&*_+=-])\S{4,200}"
        r"|(?<=[:=])\s{0,3}\S{4,200})"
        # "my login is anna and Brindle!44", "the bank's number is 740926 and the word is 'capstan'"
        r"|\blog-?in\b(?:,? (?:it's|it is|is|are))?:? \S{2,60} (?:and|/) "
        r"(?=\S{0,60}?[\d!@#$%^&*_+=])\S{4,100}"
        r"|\b(?:code|security|memorable) word is ['\"\u2018\u201c]?[^\W\d_]{3,40}['\"\u2019\u201d]?"
    ),
    "secret": re.compile(
        r"(?i)\b(?:api[ _-]?key|secret(?:[ _-]?key)?|access[ _-]?token|auth[ _-]?token|client[ _-]?secret"
        r"|token)\s{0,3}(?:[:=]|\bis\b)\s{0,3}[\"']?(?=[\w+/.-]{0,200}?\d)[\w+/.=-]{8,500}"
    ),
    "pin": re.compile(
        r"(?i)\b(?:pin(?: code)?|cvv|cvc|tan|one-time code|otp|security code)"
        r"(?:\s{0,3}[:=]\s{0,3}|\s{1,3}(?:is|ist|est|es|number)\s{1,3}|\s{1,3})\d{3,8}\b"
    ),
    "account": re.compile(
        r"(?i)\b(?:bank|banking|account)\b[^.\n]{0,60}?\b(?:number|no\.?|nr\.?) is "
        r"\d(?:[ -]?\d){3,20}\b(?: and (?:the|my) word is ['\"\u2018\u201c]?[^\W\d_]{3,40}['\"\u2019\u201d]?)?"
    ),
    "ssn": re.compile(r"\b(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b"),
    "iban": re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b"),
    # Said to be a card it is one, whatever its check digit; else the digit decides.
    "named_card": re.compile(
        r"(?i)\b(?:card|karte|kreditkarte|carte|tarjeta|cartão|carta|карта|カード)\b[^\d\n]{0,40}"
        r"(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d-])(?:[^\d\n]{1,30}\d{2} ?/ ?\d{2,4})?"
    ),
    "card": re.compile(r"(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d-])"),
}


def redacted(text: str) -> str:
    """Return a text with each secret replaced by a placeholder that names its kind."""
    for kind, pattern in PATTERNS.items():
        holds = HOLDS.get(kind)
        text = pattern.sub(lambda found: _replaced(found, kind, holds), text)  # noqa: B023 - at once
    return text


def is_secret(text: str) -> bool:
    """Say whether a text holds a secret, or the place of one."""
    return PLACEHOLDER.search(text) is not None or redacted(text) != text


def _replaced(found: re.Match[str], kind: str, holds: Callable[[str], bool] | None) -> str:
    return (
        found[0] if holds and not holds(found[0]) else f"[redacted:{kind.removeprefix('named_')}]"
    )


def _is_card(text: str) -> bool:
    """Say whether the digits have the check digit of a payment card (Luhn)."""
    digits = [int(one) for one in text if one.isdigit()]
    if not SHORTEST_CARD <= len(digits) <= LONGEST_CARD or len(set(digits)) == 1:
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    """Say whether an account number has its check digits (ISO 7064, MOD 97-10)."""
    plain = text.replace(" ", "")
    moved = plain[4:] + plain[:4]
    return len(plain) in IBAN_LENGTHS and int("".join(str(int(one, 36)) for one in moved)) % 97 == 1


# What has the form and not the check digits is something else.
HOLDS: dict[str, Callable[[str], bool]] = {"card": _is_card, "iban": _is_iban}
