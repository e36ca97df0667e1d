"""The rows of what is known."""

from knowledge.models.document import KnowledgeDocument, KnowledgeEmbedding, KnowledgeIndex
from knowledge.models.entry import Entry, EntryName
from knowledge.models.structured import SavedFact

__all__ = [
    "Entry",
    "EntryName",
    "KnowledgeDocument",
    "KnowledgeEmbedding",
    "KnowledgeIndex",
    "SavedFact",
]
