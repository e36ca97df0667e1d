"""Changes of a profile applied to data, as the processor applies them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from consolidation.profile.leaves.decide import Known, Missing, decide
from consolidation.profile.leaves.sides import ObservedEvent, Side
from extraction.contracts.profile import ScaffoldChange
from knowledge.profile.pointers import built, leaves

NOW = datetime(2026, 5, 8, tzinfo=UTC)
EVENT = ObservedEvent(uuid4(), "fact", "So.", "interactive", NOW)


def patched(data: dict, changes: Sequence[ScaffoldChange]) -> dict:
    """Return the data after changes, whose refs all name one observation that is newer."""
    before = NOW - timedelta(days=1)
    sides = {
        path: Side(value, "interactive", False, before) for path, value in leaves(data).items()
    }
    known = Known(leaves(data), leaves(data), sides, lambda path, value: False)
    refs = {ref: EVENT for change in changes for ref in change.refs if ref.startswith("ob-")}
    made = decide(known, changes, refs or {"ob-1": EVENT})
    found = leaves(data) | {path: side.value for path, side in made.changed.items()}
    return built({path: value for path, value in found.items() if not isinstance(value, Missing)})
