"""What an erasure reaches, in words for the person."""

from collections.abc import Mapping

TALKS = "Conversations and messages"
LEARNED = "What was learned of you"
NOTES = "Notes and files"
TOOLS = "Tools that you connected, and what was learned of them"
CHOICES = "What you decided"
SEARCH = "What finds all that again"
WORK = "Records of the work on it"
# In the order in which they are told.
GROUPS = (TALKS, LEARNED, NOTES, TOOLS, CHOICES, SEARCH, WORK)
WORDS: Mapping[str, str] = {
    "memory.Session": TALKS,
    "memory.Event": TALKS,
    "memory.Snapshot": TALKS,
    "memory.CompactMarker": TALKS,
    "memory.ReferenceSummary": TALKS,
    "knowledge.Fact": LEARNED,
    "knowledge.Entity": LEARNED,
    "knowledge.Arc": LEARNED,
    "knowledge.Rule": LEARNED,
    "knowledge.UserNarrative": LEARNED,
    "knowledge.Scaffold": LEARNED,
    "knowledge.ScaffoldEntry": LEARNED,
    "knowledge.LearnedInfo": LEARNED,
    "knowledge.Contradiction": LEARNED,
    "knowledge.Pattern": LEARNED,
    "knowledge.InboxItem": TALKS,
    "knowledge.Entry": NOTES,
    "knowledge.SavedFact": NOTES,
    "knowledge.FactCategory": NOTES,
    "knowledge.ContextDocument": NOTES,
    "knowledge.KnowledgeDocument": NOTES,
    "knowledge.ConnectionContext": TOOLS,
    "accounts.Connection": TOOLS,
    "knowledge.ApprovalPolicy": CHOICES,
    "knowledge.ProceduralProfile": CHOICES,
    "knowledge.Forgetting": CHOICES,
    "knowledge.Tombstone": CHOICES,
    "knowledge.KnowledgeEmbedding": SEARCH,
    "knowledge.KnowledgeIndex": SEARCH,
    "knowledge.EntryTerm": SEARCH,
    "knowledge.EntryName": SEARCH,
    "knowledge.EntryIndex": SEARCH,
    "memory.Embedding": SEARCH,
    "memory.Posting": SEARCH,
    "memory.Term": SEARCH,
    "memory.Chunk": SEARCH,
    "memory.OwnerIndex": SEARCH,
    "recall.GoldenQuestion": WORK,
    "recall.Receipt": WORK,
    "consolidation.Candidate": LEARNED,
    "consolidation.LearningRun": WORK,
    "consolidation.CompactionRun": WORK,
    "consolidation.Import": WORK,
    "consolidation.ContextEvent": LEARNED,
    "consolidation.SynthesisRun": WORK,
    "consolidation.DailyMeasure": WORK,
    "knowledge.ChangeItem": WORK,
    "knowledge.Changeset": WORK,
    "memory.SessionStep": WORK,
    "audit.CostEntry": WORK,
}


def in_words(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the rows of tables, added up by what they are to the person."""
    found = dict.fromkeys(GROUPS, 0)
    for label, count in counts.items():
        found[WORDS[label]] += count
    return {words: count for words, count in found.items() if count}
