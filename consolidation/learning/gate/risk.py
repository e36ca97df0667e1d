"""Rules that could do harm if somebody else had put them into the user's mouth: a person decides."""

import re

from ranking.tokens import fold

ADDRESS = re.compile(r"https?:|www\.|\b[\w-]+\.(?:com|org|net|io|ru|de|example|dev|app|xyz)\b|@\w")
COMMAND = re.compile(
    r"`|\b(?:rm -|sudo|curl|wget|bash|shell|terminal|powershell|sql|drop table|chmod|ssh|eval"
    r"|execut\w{0,4}|run (?:the |a |this )?(?:command|script|code)|befehl|ausführ\w{0,4})\b"
)
TOOL = re.compile(
    r"\b(?:call|use|invoke|trigger|run|send|forward|post|upload|delete|remove|erase) "
    r"(?:\w+ ){0,3}(?:tools?|functions?|apis?|webhooks?|e-?mails?|messages?|files?|folders?|accounts?"
    r"|conversations?|data)\b|\w_\w+\(|\b[a-z]+_[a-z_]+\b|werkzeug\w*|funktion\w* aufruf\w*"
)
MONEY = re.compile(
    r"[$€£¥]|\b(?:money|transfer|pay(?:ments?|ing)?|buy|purchases?|invoice|iban|wallet|bitcoin|crypto"
    r"|donat\w+|überweis\w*|bezahl\w*|kauf\w*|pagar?|comprar?|paye[rz]?|achète[rz]?)\b"
)
SECRET = re.compile(
    r"\b(?:passwords?|passcodes?|pin|secrets?|api[- ]?keys?|tokens?|credentials?|system prompt"
    r"|instructions?|passwort\w*|kennwort|contraseñas?|mots? de passe|пароль)\b"
)
UNCHECKED = re.compile(
    r"\b(?:(?:do not|don't|never|stop|without|skip|no need to|ignore|disable|bypass|omit) (?:\w+ ){0,3}?"
    r"(?:ask\w*|confirm\w*|check\w*|verif\w*|warn\w*|review\w*|approv\w*|permission|safety|test\w*"
    r"|validat\w*|filter\w*|rules?|guidelines?)"
    r"|(?:frag\w*|prüf\w*|bestätig\w*|warn\w*) (?:\w+ ){0,3}?(?:nicht|nie|keine?)"
    r"|ohne (?:\w+ ){0,2}?(?:rückfrage|prüfung|bestätigung|zu fragen)"
    r"|(?:no|nunca) (?:\w+ ){0,2}?(?:preguntes|confirmes|verifiques)|sans (?:demander|vérifier|confirmer))\b"
)
WITH_SUFFIX = re.compile(
    r"\b(?:end|close|begin|start|finish|append|add|include|insert)\w* (?:\w+ ){0,4}?"
    r"(?:with|to every|to each|to all|in every|in each|in all)\b.{0,40}?(?:[A-Z]{4,}|link)"
)
RISKS = (ADDRESS, COMMAND, TOOL, MONEY, SECRET, UNCHECKED)


def is_risky(text: str) -> bool:
    """Return whether a rule names an address, tool, command, money or secret, or leaves out a check."""
    plain = fold(text).replace("\u2019", "'")
    return any(risk.search(plain) for risk in RISKS) or WITH_SUFFIX.search(text) is not None
