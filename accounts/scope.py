"""The value every private query starts from."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Scope:
    """What one caller may read: an agent's rows, or those of one owner among them.

    `owner` None means every owner of the agent.
    """

    organization: UUID
    agent: UUID
    owner: int | None = None
