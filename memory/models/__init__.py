"""The rows of what happened."""

from memory.models.document import Chunk, Embedding, EmbeddingSpace, OwnerIndex, Posting, Term
from memory.models.event import Event
from memory.models.session import Session, SessionStep
from memory.models.window import LaneWindow

__all__ = [
    "Chunk",
    "Embedding",
    "EmbeddingSpace",
    "Event",
    "LaneWindow",
    "OwnerIndex",
    "Posting",
    "Session",
    "SessionStep",
    "Term",
]
