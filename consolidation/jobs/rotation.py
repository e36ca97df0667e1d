"""Whose turn it is: what a process remembers of who was served last, in each class of jobs.

Each process takes turns of its own; together they are fair as long as each of them is.
"""

import json
import random
from uuid import UUID

from consolidation.models.priorities import Priority

# Of so many organizations a process knows whose owner was last; of others it begins anew.
MOST_REMEMBERED = 500
# So often it begins at the other end of the classes, so that none of them starves.
OTHER_END = 1 / 16
CLASSES = [int(priority) for priority in Priority]


class Rotation:
    """Remembers the organization that was served last in a class, and in it the owner."""

    def __init__(self) -> None:
        self._turns: dict[str, str | int] = {}

    def note(self, priority: int, organization: UUID, owner: int) -> None:
        of_owner = f"{priority}:{organization}"
        # What was noted last is forgotten last.
        self._turns.pop(of_owner, None)
        self._turns[str(priority)], self._turns[of_owner] = str(organization), owner
        if len(self._turns) > MOST_REMEMBERED:
            del self._turns[next(key for key in self._turns if ":" in key)]

    def as_json(self) -> str:
        return json.dumps(self._turns)


def order_of_classes() -> list[int]:
    """Return the classes in the order in which this turn looks at them."""
    return CLASSES[::-1] if random.random() < OTHER_END else CLASSES  # noqa: S311 - no secret
