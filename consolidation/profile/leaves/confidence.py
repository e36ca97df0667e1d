"""How sure a leaf of the profile is, from what it stands on.

confidence = 1 - (1 - base) * 0.6^(n - 1), from 0.05 to 0.99

`base` is 0.7 for what was said in a chat, 0.55 for a tool's output, 0.5 for what was found in the
background, and 0.15 more for a correction; 0.4 for what the model concluded, and 0.3 where it named
nothing. `n` is the number of occasions: what a tool and the gate note of one session is one. What
a person wrote has 1. Its age counts when it is read: see knowledge.profile.sureness.
"""

from knowledge.models.profile import Channel

BASE = {Channel.INTERACTIVE: 0.7, Channel.TOOL: 0.55, Channel.AUTONOMOUS: 0.5}
CORRECTED = 0.15
IMPLIED = 0.4
UNNAMED = 0.3
DOUBT = 0.6
LEAST, MOST = 0.05, 0.99


def confidence(*, channel: str, occasions: int, is_correction: bool, basis: str) -> float:
    """Return a share from 0 to 1. `basis` is stated, implied or unnamed."""
    if channel == Channel.PERSON:
        return 1.0
    base = BASE[Channel(channel)] + (CORRECTED if is_correction else 0.0)
    base = {"implied": IMPLIED, "unnamed": UNNAMED}.get(basis, base)
    sure: float = 1.0 - (1.0 - base) * DOUBT ** float(max(occasions, 1) - 1)
    return round(min(max(sure, LEAST), MOST), 4)
