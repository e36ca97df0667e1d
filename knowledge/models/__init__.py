"""The rows of what is known."""

from knowledge.models.change import ApprovalPolicy, ChangeItem, Changeset, Tombstone
from knowledge.models.document import KnowledgeDocument, KnowledgeEmbedding, KnowledgeIndex
from knowledge.models.entry import Entry, EntryIndex, EntryName, EntryTerm
from knowledge.models.forgetting import Forgetting
from knowledge.models.inbox import InboxItem
from knowledge.models.learned import Arc, Entity, Fact, ProceduralProfile, Rule
from knowledge.models.profile import (
    Channel,
    Contradiction,
    LearnedInfo,
    Pattern,
    Scaffold,
    ScaffoldEntry,
    UserNarrative,
)
from knowledge.models.structured import FactCategory, SavedFact
from knowledge.models.vector import ConnectionContext, ContextDocument

__all__ = [
    "ApprovalPolicy",
    "Arc",
    "ChangeItem",
    "Changeset",
    "Channel",
    "ConnectionContext",
    "ContextDocument",
    "Contradiction",
    "Entity",
    "Entry",
    "EntryIndex",
    "EntryName",
    "EntryTerm",
    "Fact",
    "FactCategory",
    "Forgetting",
    "InboxItem",
    "KnowledgeDocument",
    "KnowledgeEmbedding",
    "KnowledgeIndex",
    "LearnedInfo",
    "Pattern",
    "ProceduralProfile",
    "Rule",
    "SavedFact",
    "Scaffold",
    "ScaffoldEntry",
    "Tombstone",
    "UserNarrative",
]
