"""What a session keeps: nothing, here, or here and beyond; a request may lower it, never raise (pure)."""

from enum import StrEnum


class RetentionMode(StrEnum):
    """From the least that is kept to the most. SYNCED is kept exactly as LOCAL is."""

    INCOGNITO = "incognito"
    LOCAL = "local"
    SYNCED = "synced"


NAMES = {mode.value: mode for mode in RetentionMode} | {"guest": RetentionMode.INCOGNITO}
_ORDER = tuple(RetentionMode)


def mode_named(name: str) -> RetentionMode:
    """Return the mode of a name, or of its alias. Raises ValueError for another."""
    if name not in NAMES:
        raise ValueError(f"a mode is one of {', '.join(NAMES)}")
    return NAMES[name]


def lowered(*, asked: RetentionMode, most: RetentionMode) -> RetentionMode:
    """Return what keeps less: what was asked for, or the most that may be kept."""
    return min(asked, most, key=_ORDER.index)
