"""How sure a leaf of the scaffold is (pure).

confidence = 1 - (1 - base) * 0.6^(n - 1), times 0.5^(days / 730), from 0.05 to 0.99

`base` is 0.7 for what was said in a chat, 0.55 for a tool's output, 0.5 for what was found in the
background, and 0.15 more for a correction; `n` is the number of observations that bear it out. A
value whose words nobody said has a base of 0.3. What a person wrote has 1, whatever its age.
"""

from knowledge.models.profile import Channel

BASE = {Channel.INTERACTIVE: 0.7, Channel.TOOL: 0.55, Channel.AUTONOMOUS: 0.5}
CORRECTED = 0.15
INFERRED = 0.3
DOUBT = 0.6
HALF_LIFE_DAYS = 730.0
LEAST, MOST = 0.05, 0.99


def confidence(
    *, channel: str, evidence: int, is_correction: bool, is_quoted: bool, days: float
) -> float:
    """Return a share from 0 to 1. `days` is the age of the newest evidence."""
    if channel == Channel.PERSON:
        return 1.0
    base = BASE[Channel(channel)] + (CORRECTED if is_correction else 0.0)
    base = base if is_quoted else INFERRED
    sure: float = 1.0 - (1.0 - base) * DOUBT ** float(max(evidence, 1) - 1)
    aged: float = sure * 0.5 ** (max(days, 0.0) / HALF_LIFE_DAYS)
    return round(min(max(aged, LEAST), MOST), 4)
