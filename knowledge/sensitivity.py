"""What is told in passing and should not be kept for ever: found by its words (pure).

The kinds are those of Article 9 of the General Data Protection Regulation, with crime and money.
Every pattern is linear. What is worded otherwise is not seen: the switch that uses this is an
operator's, and off by default.
"""

import re

from ranking.tokens import fold

KINDS: dict[str, re.Pattern[str]] = {
    "health": re.compile(
        r"\b(?:cancer|tumou?r|diabet\w{2,4}|hiv|aids|epilep\w{2,3}|asthma|migraines?|depress(?:ed|ion)"
        r"|anxiety disorder|bipolar|schizophren\w{2,3}|ptsd|adhd|autis\w{2,3}|anorexi\w|bulimi\w"
        r"|suicid\w{2,4}|self-harm\w{0,3}|miscarriage|abortion|pregnan\w{2,3}|infertil\w{1,4}|ivf"
        r"|diagnos(?:is|ed)|chemo\w{0,8}|antidepressants?|insulin|therapist|psychiatr\w{2,3}"
        r"|psycholog\w{2,3}|rehab|addict(?:ed|ion|s)?|alcoholi(?:c|sm)|overdos\w{1,3}|disabilit(?:y|ies)"
        r"|krebs\w{0,12}|depression\w{0,3}|schwanger\w{0,6}|abtreibung|fehlgeburt|therapeut\w{0,3}|sucht"
        r"|enceinte|avortement|dépressi\w{1,3}|embarazada|aborto|depresión|cáncer)\b"
    ),
    "sexuality": re.compile(
        r"\b(?:gay|lesbian|bisexual|transgender|trans (?:woman|man)|queer|coming out|came out to"
        r"|sex(?:ual)? (?:life|orientation|assault|abuse)|sexually|erectile|libido|std|sti"
        r"|schwul|lesbisch|homosexuell?\w{0,2}|homosexual\w{0,2})\b"
    ),
    "belief": re.compile(
        r"\b(?:muslim|islam|christian|catholic|protestant|jewish|judaism|hindu|buddhist|sikh|atheist"
        r"|mormon|jehovah'?s witness\w{0,2}|converted to|katholisch|evangelisch|jüdisch|muslimisch"
        r"|catholique|musulman\w{0,2}|juif|juive|católic[oa]|judí[oa])\b"
    ),
    "politics": re.compile(
        r"\b(?:voted? for|votes for|(?:party|union) member\w{0,4}|member of (?:the )?\w{1,30} (?:party|union)"
        r"|trade union|conservative|liberal|republican|democrat|socialist|communist|gewerkschaft\w{0,10}"
        r"|syndicat|sindicato)\b"
    ),
    "origin": re.compile(
        r"\b(?:undocumented|asylum|refugee|immigration status|visa overstay\w{0,2}|ethnic\w{0,4}"
        r"|flüchtling|asyl\w{0,10}|réfugié\w{0,2}|refugiad[oa])\b"
    ),
    "crime": re.compile(
        r"\b(?:arrested|convicted|convictions?|prison|jail|felony|parole|probation|restraining order"
        r"|domestic (?:violence|abuse)|abused (?:me|her|him|us)|vorbestraft|gefängnis|prison|cárcel)\b"
    ),
    "money": re.compile(
        r"\b(?:bankrupt\w{0,3}|in debt|debts?|salary (?:is|of)|i earn|my salary|credit score|foreclos\w{2,4}"
        r"|evict(?:ed|ion)|schulden|privatinsolvenz|mein gehalt|endetté\w{0,2}|deudas)\b"
    ),
}


def sensitive_kind(text: str) -> str | None:
    """Return the first kind of sensitive matter that a text speaks of, or None."""
    folded = fold(text)
    return next((kind for kind, pattern in KINDS.items() if pattern.search(folded)), None)


def is_sensitive(text: str) -> bool:
    return sensitive_kind(text) is not None
