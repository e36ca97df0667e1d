"""A classifier's reason, in our words: whatever might be the person's own is left out.

A model that explains its verdict quotes the person. Words of a closed vocabulary cannot.
"""

import re

WORD = re.compile(r"[^\W_]+")
GAP = "…"
WORDS = """
a about absent active after ambiguous an and any as at attempt attempted before but by call clarify
clear confidence confident context crisis current danger death deterministic detected detection
direct disclosed disclosure distress domestic emergency error evidence explicit expressed failure
fallback from harm has high history hopelessness hotline ideation idiom immediate imminent implicit
in indicates indication indirect intent intention is keyword level llm low match matched means
medium mentions method model negated no none not of on or other others override overdose passive
past person persistent phrase plan possible post present primary prior protective recent references
regex reported resources response retry risk rule safety self severe shows signal signals speech
statement statements states stated step suggests suicidal suicide support term text the third party
threat timeframe timeline timeout to tool turn unclear unsafe urgent user violence voice warning
was with without
"""
VOCABULARY = frozenset(WORDS.split())


def in_our_words(text: str, length: int) -> str:
    """Return the words of the vocabulary; an ellipsis stands for any others. Cut at `length`."""
    kept: list[str] = []
    for word in WORD.findall(text.lower()):
        if word in VOCABULARY:
            kept.append(word)
        elif kept[-1:] != [GAP]:
            kept.append(GAP)
    return " ".join(kept)[:length]
