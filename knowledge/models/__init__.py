"""The rows of what is known."""

from knowledge.models.change import ApprovalPolicy, ChangeItem, Changeset, Tombstone
from knowledge.models.document import KnowledgeDocument, KnowledgeEmbedding, KnowledgeIndex
from knowledge.models.entry import Entry, EntryName
from knowledge.models.learned import Arc, Fact, ProceduralProfile, Rule
from knowledge.models.structured import SavedFact

__all__ = [
    "ApprovalPolicy",
    "Arc",
    "ChangeItem",
    "Changeset",
    "Entry",
    "EntryName",
    "Fact",
    "KnowledgeDocument",
    "KnowledgeEmbedding",
    "KnowledgeIndex",
    "ProceduralProfile",
    "Rule",
    "SavedFact",
    "Tombstone",
]
