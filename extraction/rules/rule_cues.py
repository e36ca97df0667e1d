"""How a user says the way they wish to be answered: the offline model's eye for rules (pure)."""

import re

DURABLE = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|next time|always|never|every time|please keep|"
    r"ab jetzt|von nun an|ab sofort|immer|nie|niemals|in zukunft|künftig|"
    r"de ahora en adelante|a partir de ahora|siempre|nunca|"
    r"désormais|à partir de maintenant|dorénavant|toujours|jamais)\b",
    re.IGNORECASE,
)
TURN_SCOPED = re.compile(
    r"\b(?:for now|this (?:reply|time|answer|once)|right now|just (?:today|this once|now)|only this session|"
    r"diesmal|nur heute|gerade jetzt|esta vez|solo hoy|por ahora|cette fois|juste aujourd'hui|pour l'instant)\b",
    re.IGNORECASE,
)
# A verb that tells the assistant how to speak.
SPEAKING = re.compile(
    r"\b(?:answer|reply|respond|write|speak|talk to me|explain|summari[sz]e|use (?:bullet|short|simple|metric|plain|emoji|more|fewer|less|code)|"
    r"keep (?:it|your|answers|replies|things)|be (?:brief|concise|short|direct|honest|kind|gentle|formal|informal|more|less)|"
    r"call me|address me|stop (?:using|calling|asking|adding|apologi[sz]ing)|don't (?:use|call|ask|add|apologi[sz]e|start|give)|do not (?:use|call|ask|add|start|give)|"
    r"avoid|give me|ask me|remind me|skip|"
    r"antworte|schreib|sprich|erkl[äa]r|nenn mich|duz|siez|fass dich|benutze?|verwende|sei (?:kurz|direkt|ehrlich|freundlich)|"
    r"responde|respóndeme|escribe|habla|explica|ll[áa]mame|s[ée] (?:breve|directo|directa|honesto)|usa|evita|"
    r"réponds|écris|parle|explique|appelle-moi|sois (?:bref|brève|direct|directe|honnête)|utilise|évite|tutoie|vouvoie)",
    re.IGNORECASE,
)
IMPLIED = re.compile(
    r"\b(?:i (?:really |much |would |'d )*(?:prefer|like|love|hate|don't like|appreciate)(?: it)? (?P<a>(?:when you (?:answer|reply|explain|write|keep|use|give|ask|are)[^.!?\n]{0,60}|(?:[^\W\d_]+ ){0,4}(?:answers|replies|responses|explanations|bullet points)[^.!?\n]{0,40}))|"
    r"ich mag (?P<b>(?:[^\W\d_]+ ){0,3}(?:antworten|erklärungen)[^.!?\n]{0,40})|"
    r"prefiero (?P<c>(?:respuestas|explicaciones)[^.!?\n]{0,60})|"
    r"je préfère (?P<d>(?:des |les )?(?:réponses|explications)[^.!?\n]{0,60}))",
    re.IGNORECASE,
)
PREFIX = re.compile(
    r"\A(?:(?:and|but|also|oh|ok|okay|so|well|hey|und|y|et)[ ,]+)*"
    r"(?:(?:from now on|going forward|in (?:the )?future|next time|remember to|please|could you|can you|would you|will you|"
    r"i(?:'d| would) like you to|i want you to|i need you to|i(?:'d| would) (?:prefer|appreciate) if you|"
    r"ab jetzt|von nun an|ab sofort|in zukunft|künftig|bitte|kannst du|"
    r"de ahora en adelante|a partir de ahora|por favor|désormais|à partir de maintenant|dorénavant|s'il te plaît|s'il vous plaît)[ ,:]*)+",
    re.IGNORECASE,
)
SAFETY = re.compile(
    r"\b(?:(?:stop|don't|do not|never|quit) (?:asking|ask|check\w*|mention\w*)[^.!?\n]{0,40}(?:safety|safe|suicid\w*|crisis|harm)|"
    r"skip (?:the |any )?safety|ignore (?:the |any |my )?safety|"
    r"(?:don't|do not|never|stop|withhold)[^.!?\n]{0,30}(?:hotline|crisis (?:line|resources?|numbers?)|helpline)|"
    r"frag(?:e)? (?:mich )?(?:nicht|nie)[^.!?\n]{0,30}sicher|no (?:me )?preguntes[^.!?\n]{0,30}segur|ne (?:me )?demande[^.!?\n]{0,30}sécurité)",
    re.IGNORECASE,
)
HEDGED = re.compile(
    r"\b(?:maybe|perhaps|i think|i guess|kind of|sort of|probably|not sure|might|vielleicht|glaube ich|"
    r"quizás?|tal vez|creo que|peut-être|je crois)\b",
    re.IGNORECASE,
)
RULE_CHARACTERS = 200


def rule_in(sentence: str) -> str:
    """Return the rule that a sentence asks for, in the second person; empty for none."""
    if sentence.rstrip(" '\"").endswith("?") and not PREFIX.match(sentence):
        return ""
    implied = IMPLIED.search(sentence)
    if implied:
        wish = next(group for group in implied.groups() if group)
        return _sentence(f"The user prefers {wish}")
    wanted = PREFIX.sub("", sentence, count=1)
    speaking = SPEAKING.search(wanted)
    if speaking is None:
        return ""
    is_order = speaking.start() == 0 or DURABLE.match(wanted) is not None
    return _sentence(wanted) if is_order else ""


def _sentence(text: str) -> str:
    words = " ".join(text.split()).strip(" .!?,;:'\"")[:RULE_CHARACTERS].strip()
    return f"{words[:1].upper()}{words[1:]}." if words else ""
