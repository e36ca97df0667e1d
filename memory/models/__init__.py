"""The rows of what happened."""

from memory.models.document import Chunk, Embedding, EmbeddingSpace, OwnerIndex, Posting, Term
from memory.models.event import Event
from memory.models.marker import CompactMarker
from memory.models.session import Session, SessionStep
from memory.models.snapshot import Snapshot
from memory.models.summary import ReferenceSummary
from memory.models.window import LaneWindow

__all__ = [
    "Chunk",
    "CompactMarker",
    "Embedding",
    "EmbeddingSpace",
    "Event",
    "LaneWindow",
    "OwnerIndex",
    "Posting",
    "ReferenceSummary",
    "Session",
    "SessionStep",
    "Snapshot",
    "Term",
]
