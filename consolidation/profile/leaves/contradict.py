"""Which of two values of a leaf holds, by what each of them stands on.

A model's change is taken as it is. What it names must not be weaker than what stands there: a
person's own edit yields only to what that person said later; a correction to nothing older; the
newer stays before the older; at equal time what was said in a chat stays before what was found in
the background.
"""

from consolidation.profile.leaves.sides import UNNAMED, Side
from knowledge.models.profile import Channel, Contradiction
from ranking.tokens import tokens

Rule = Contradiction.Rule
# The first wins.
STRENGTH = tuple(Channel.values)


def newer_wins(old: Side, new: Side) -> tuple[bool, Rule]:
    """Return whether the new side wins, and by what rule; of two alike the new one does."""
    if old.channel == Channel.PERSON and not is_own_later_word(old, new):
        return False, Rule.PERSON
    if new.is_correction and new.observed_at >= old.observed_at and not old.is_correction:
        return True, Rule.CORRECTION
    if old.is_correction and old.observed_at >= new.observed_at and not new.is_correction:
        return False, Rule.CORRECTION
    if old.observed_at != new.observed_at:
        return new.observed_at > old.observed_at, Rule.NEWER
    if old.channel != new.channel:
        return STRENGTH.index(new.channel) < STRENGTH.index(old.channel), Rule.INTERACTIVE
    return True, Rule.NEWER


def is_own_later_word(old: Side, new: Side) -> bool:
    """Return whether a side is what the person said themselves, after they wrote the other."""
    is_own = new.channel == Channel.INTERACTIVE and new.basis != UNNAMED
    return is_own and new.observed_at > old.observed_at


def are_contrary(old: object, new: object) -> bool:
    """Return whether two values cannot both hold: what only grows or says more denies nothing."""
    if isinstance(old, list) and isinstance(new, list):
        return any(member not in new for member in old)
    if isinstance(old, str) and isinstance(new, str) and tokens(old):
        return tokens(new)[: len(tokens(old))] != tokens(old)
    return old != new and old not in ({}, [], "", None)
