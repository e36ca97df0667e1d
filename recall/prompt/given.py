"""What a caller gives with a turn, beside its words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from recall.prompt.sources.governance import NO_DIRECTIVES, Directives


@dataclass(frozen=True, slots=True)
class Artifact:
    """A work of the agent's that the user may come back to, as its index lists it."""

    name: str
    description: str = ""
    kind: str = ""

    @property
    def shown(self) -> Mapping[str, object]:
        """What is filled, as a line of a prompt."""
        parts = {"name": self.name, "kind": self.kind, "description": self.description}
        return {name: text for name, text in parts.items() if text}


@dataclass(frozen=True, slots=True)
class Given:
    """Active connections (None: those the user keeps active), directives and artifacts of a turn."""

    connections: Sequence[UUID] | None = None
    directives: Directives = NO_DIRECTIVES
    artifacts: Sequence[Artifact] = ()


NOTHING_GIVEN = Given()
