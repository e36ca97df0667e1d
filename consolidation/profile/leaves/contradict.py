"""Which of two values of a leaf holds, and by what rule (pure).

The person's own edit beats all; a correction beats what is older; the newer beats the older; at
equal time what was said in a chat beats what was found in the background.
"""

from consolidation.profile.leaves.sides import Side
from knowledge.models.profile import Channel, Contradiction

Rule = Contradiction.Rule
# The first wins.
STRENGTH = tuple(Channel.values)


def newer_wins(old: Side, new: Side) -> tuple[bool, Rule]:
    """Say whether the new side wins, and by what rule; of two alike the new one does."""
    if (old.channel == Channel.PERSON) != (new.channel == Channel.PERSON):
        return new.channel == Channel.PERSON, Rule.PERSON
    if new.is_correction and new.observed_at >= old.observed_at and not old.is_correction:
        return True, Rule.CORRECTION
    if old.is_correction and old.observed_at >= new.observed_at and not new.is_correction:
        return False, Rule.CORRECTION
    if old.observed_at != new.observed_at:
        return new.observed_at > old.observed_at, Rule.NEWER
    if old.channel != new.channel:
        return STRENGTH.index(new.channel) < STRENGTH.index(old.channel), Rule.INTERACTIVE
    return True, Rule.NEWER


def are_contrary(old: object, new: object) -> bool:
    """Say whether two values cannot both hold; a list that only grows denies nothing."""
    if isinstance(old, list) and isinstance(new, list):
        return any(one not in new for one in old)
    return old != new and old not in ({}, [], "", None)
