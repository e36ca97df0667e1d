"""Every operation of version 1: its id, its tag, what it does in a few words, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass

from rest_framework import serializers

from api.v1.answers import learned, memories, operators, people, sessions, stores

Answers = Mapping[int, type[serializers.Serializer] | None]


@dataclass(frozen=True, slots=True)
class Operation:
    """`answers` has the description of the body by status; None for no body."""

    id: str
    tag: str
    summary: str
    answers: Answers


def _of(
    id: str,
    tag: str,
    summary: str,
    shape: type[serializers.Serializer] | None,
    *codes: int,
    **other: type[serializers.Serializer],
) -> Operation:
    """Return an operation that answers with one shape, 200 unless `codes` are named.

    `other` are further shapes by status, as `s202`.
    """
    usual = codes or ((204,) if shape is None else (200,))
    answers = dict.fromkeys(usual, shape)
    return Operation(
        id, tag, summary, {**answers, **{int(code[1:]): one for code, one in other.items()}}
    )


OPERATIONS: Mapping[str, Operation] = {
    # The five verbs.
    "POST memories": _of("addMemory", "memories", "Add a memory", memories.AddedAnswer, 201, 200),
    "GET memories": _of("listMemories", "memories", "List memories", memories.MemoryListAnswer),
    "POST memories/search": _of(
        "searchMemories", "memories", "Search memories", memories.MemorySearchAnswer
    ),
    "GET memories/{memory}": _of("getMemory", "memories", "Get a memory", memories.MemoryAnswer),
    "PATCH memories/{memory}": _of(
        "updateMemory", "memories", "Update a memory", memories.MemoryAnswer
    ),
    "DELETE memories/{memory}": _of("forgetMemory", "memories", "Forget a memory", None),
    "POST memories/forget": _of(
        "forgetMemories", "memories", "Find and forget memories", memories.ForgottenAnswer
    ),
    # Sessions, and the prompt.
    "POST sessions": _of("openSession", "sessions", "Open a session", sessions.Session, 201, 200),
    "GET sessions": _of("listSessions", "sessions", "List sessions", sessions.SessionPage),
    "GET sessions/{session}": _of(
        "getSession", "sessions", "Get a session", sessions.SessionDetail
    ),
    "POST sessions/{session}/events": _of(
        "appendEvents", "sessions", "Append events", sessions.StoredEvents, 201, 200
    ),
    "GET sessions/{session}/events": _of(
        "listEvents", "sessions", "List events", sessions.EventPage
    ),
    "POST sessions/{session}/context": _of(
        "getContext", "sessions", "Build the next prompt", sessions.Prompt
    ),
    "POST sessions/{session}/compact": _of(
        "compactSession", "sessions", "Compact a lane", sessions.CompactOutcome, 202, 200
    ),
    "POST sessions/{session}/heartbeat": _of(
        "sendHeartbeat", "sessions", "Take a snapshot", sessions.Heartbeat
    ),
    "POST sessions/{session}/transcript": _of(
        "storeTranscript",
        "sessions",
        "Store a whole conversation",
        sessions.TranscriptAnswer,
        201,
        200,
    ),
    "POST sessions/{session}/end": _of(
        "endSession",
        "sessions",
        "End a session",
        sessions.EndedSession,
    ),
    "POST sessions/{session}/crisis": _of(
        "reportCrisis", "sessions", "Report a crisis", sessions.CrisisOutcome, 201, 200, 202
    ),
    # Recall, and what was learned.
    "POST recall": _of("recall", "recall", "Recall passages", learned.RecallResults),
    "GET receipts/{receipt}": _of("getReceipt", "recall", "Get a receipt", learned.ReceiptDetail),
    "GET golden": _of("listGoldenQuestions", "recall", "List golden questions", learned.GoldenPage),
    "POST golden": _of(
        "keepGoldenQuestion", "recall", "Keep a golden question", learned.Golden, 201, 200
    ),
    "DELETE golden/{question}": _of(
        "deleteGoldenQuestion", "recall", "Delete a golden question", None
    ),
    "GET memory/status": _of(
        "getMemoryStatus", "learned", "Get memory status", learned.MemoryStatus
    ),
    "PATCH memory/recall": _of(
        "setProactiveRecall", "learned", "Switch proactive recall", learned.RecallSwitch
    ),
    "PATCH memory/sharing": _of("setSharing", "learned", "Switch sharing", learned.SharingSwitch),
    "POST memory/forget": _of(
        "forgetLearned", "learned", "Find and forget learned items", learned.Forgotten
    ),
    "GET memory/as-of": _of(
        "getMemoryAsOf", "learned", "Get memory at a moment", learned.MemoryAsOf
    ),
    "GET memory/patterns": _of("listPatterns", "learned", "List patterns", learned.Patterns),
    "GET memory/{layer}": _of(
        "listLearned", "learned", "List facts, summaries or rules", learned.LearnedPage
    ),
    "GET memory/{layer}/{item}": _of(
        "getLearned", "learned", "Get a fact, summary or rule", learned.LearnedItem
    ),
    "PATCH memory/{layer}/{item}": _of(
        "updateLearned", "learned", "Update a fact, summary or rule", learned.LearnedItem
    ),
    "DELETE memory/{layer}/{item}": _of(
        "deleteLearned", "learned", "Delete a fact, summary or rule", None
    ),
    "POST suggestions": _of("suggestTools", "learned", "Suggest tools", learned.Suggestions),
    # What is written on purpose.
    "GET knowledge": _of("listDocuments", "knowledge", "List documents", stores.DocumentPage),
    "POST knowledge": _of("addDocument", "knowledge", "Add a document", stores.Document, 201, 200),
    "GET knowledge/{key}": _of("getDocument", "knowledge", "Get a document", stores.Document),
    "PUT knowledge/{key}": _of(
        "putDocument", "knowledge", "Write a document", stores.Document, 200, 201
    ),
    "DELETE knowledge/{key}": _of("deleteDocument", "knowledge", "Delete a document", None),
    "GET notes": _of("listNotes", "notes", "List notes", stores.NotePage),
    "POST notes": _of("addNote", "notes", "Add a note", stores.Note, 201, 200),
    "POST notes/search": _of("searchNotes", "notes", "Search notes", stores.NoteHits),
    "GET notes/{name}": _of("getNote", "notes", "Get a note", stores.Note),
    "PUT notes/{name}": _of("putNote", "notes", "Write a note", stores.Note, 200, 201),
    "PATCH notes/{name}": _of("renameNote", "notes", "Rename a note", stores.Note),
    "DELETE notes/{name}": _of("deleteNote", "notes", "Delete a note", None),
    "GET workspace": _of("listFiles", "workspace", "List files", stores.Files),
    "POST workspace/search": _of("searchFiles", "workspace", "Search files", stores.FileHits),
    "GET workspace/versions/{name}": _of(
        "listFileVersions", "workspace", "List versions of a file", stores.FileVersions
    ),
    "GET workspace/{name}": _of("getFile", "workspace", "Get a file", stores.File),
    "PUT workspace/{name}": _of("putFile", "workspace", "Write a file", stores.WrittenFile),
    "DELETE workspace/{name}": _of("deleteFile", "workspace", "Delete a file", None),
    "GET saved-facts": _of(
        "listSavedFacts", "saved facts", "List saved facts", stores.SavedFactPage
    ),
    "POST saved-facts": _of("saveFact", "saved facts", "Save a fact", stores.SavedFact, 201),
    "POST saved-facts/search": _of(
        "searchSavedFacts", "saved facts", "Search saved facts", stores.SavedFactHits
    ),
    "GET saved-facts/{fact}": _of(
        "getSavedFact", "saved facts", "Get a saved fact", stores.SavedFact
    ),
    "PATCH saved-facts/{fact}": _of(
        "updateSavedFact", "saved facts", "Update a saved fact", stores.SavedFact
    ),
    "DELETE saved-facts/{fact}": _of("deleteSavedFact", "saved facts", "Delete a saved fact", None),
    "GET context-documents": _of(
        "listContextDocuments",
        "context documents",
        "List context documents",
        stores.ContextDocumentPage,
    ),
    "POST context-documents": _of(
        "addContextDocument",
        "context documents",
        "Add a context document",
        stores.ContextIds,
        201,
    ),
    "POST context-documents/search": _of(
        "searchContextDocuments",
        "context documents",
        "Search context documents",
        stores.ContextHits,
    ),
    "PUT context-documents/{document}": _of(
        "putContextDocument", "context documents", "Replace a context document", stores.ContextId
    ),
    "DELETE context-documents/{document}": _of(
        "deleteContextDocument", "context documents", "Delete a context document", None
    ),
    # A person.
    "GET users/{user}/profile": _of("getProfile", "users", "Get a profile", people.Profile),
    "PATCH users/{user}/profile": _of("updateProfile", "users", "Update a profile", people.Profile),
    "GET users/{user}/memory-state": _of(
        "getMemoryState", "users", "Get goals and current context", people.MemoryState
    ),
    "POST users/{user}/page-link": _of(
        "createPageLink", "users", "Create a sign-in link", people.PageLink, 201
    ),
    "POST users/{user}/erase": _of(
        "eraseUser", "users", "Erase a user", people.ErasurePreview, s202=people.Erasure
    ),
    "GET users/{user}/export": _of("exportUser", "users", "Export a user", people.Export),
    "GET erasures/{erasure}": _of("getErasure", "users", "Get an erasure", people.Erasure),
    "POST import": _of(
        "importUser", "users", "Import an export", people.ImportOrPreview, s202=people.Import
    ),
    "GET imports/{id}": _of("getImport", "users", "Get an import", people.Import),
    "DELETE imports/{id}": _of("stopImport", "users", "Stop an import", people.Import),
    "POST observations": _of(
        "recordObservation", "observations", "Record an observation", people.Recorded, 201, 200
    ),
    "GET observations": _of(
        "listObservations", "observations", "List observations", people.ObservationPage
    ),
    "GET connections": _of(
        "listConnections", "connections", "List connections", stores.ConnectionPage
    ),
    "POST connections": _of(
        "addConnection", "connections", "Add a connection", stores.Connected, 201
    ),
    "GET connections/{connection}": _of(
        "getConnection", "connections", "Get a connection", stores.Connected
    ),
    "PATCH connections/{connection}": _of(
        "updateConnection", "connections", "Update a connection", stores.Connected
    ),
    "DELETE connections/{connection}": _of(
        "deleteConnection", "connections", "Delete a connection", None
    ),
    "GET connections/{connection}/context": _of(
        "getToolContext", "connections", "Get a tool's context", stores.ToolContext
    ),
    "PUT connections/{connection}/context": _of(
        "putToolContext", "connections", "Write a tool's context", stores.ToolContext
    ),
    "POST inbox": _of("addInboxItems", "inbox", "Add inbox items", people.Accepted, 202),
    "POST inbox/scores": _of("scoreInboxItems", "inbox", "Score inbox items", people.Scores),
    "POST playbooks/render": _of(
        "renderPlaybook", "playbooks", "Render a playbook", people.Rendered
    ),
    "GET tools": _of("listTools", "tools", "List tools", stores.Tools),
    "POST tools/{name}": _of("callTool", "tools", "Call a tool", stores.ToolAnswer),
    # An operator's key.
    "POST agents": _of("createAgent", "agents", "Create an agent", operators.AgentDetail, 201),
    "GET agents/{slug}": _of("getAgent", "agents", "Get an agent", operators.AgentDetail),
    "PATCH agents/{slug}": _of("updateAgent", "agents", "Update an agent", operators.AgentDetail),
    "POST agents/{slug}/stop": _of("stopAgent", "agents", "Stop an agent", operators.Stopped),
    "POST agents/{slug}/keys": _of("issueKey", "agents", "Issue a key", operators.Key, 201),
    "GET agents/{slug}/approval": _of(
        "getApproval", "agents", "Get approval policies", operators.Approval
    ),
    "PUT agents/{slug}/approval": _of(
        "setApproval", "agents", "Set approval policies", operators.Approval
    ),
    "GET organization": _of(
        "getOrganization", "organization", "Get the organization", operators.OrganizationDetail
    ),
    "PATCH organization": _of(
        "updateOrganization",
        "organization",
        "Update the organization",
        operators.OrganizationDetail,
    ),
    "GET changesets": _of(
        "listChangesets", "changesets", "List changesets", operators.ChangesetPage
    ),
    "GET changesets/{changeset}": _of(
        "getChangeset", "changesets", "Get a changeset", operators.Changeset
    ),
    "POST changesets/{changeset}/revert": _of(
        "revertChangeset", "changesets", "Revert a changeset", operators.Changeset
    ),
    "POST changesets/{changeset}/items/{place}/{decision}": _of(
        "decideChange", "changesets", "Approve or reject a change", operators.Changeset
    ),
    "GET jobs": _of("listJobs", "jobs", "List jobs", operators.JobPage),
    "POST jobs/{job}/{action}": _of("changeJob", "jobs", "Retry or cancel a job", operators.Job),
    "GET measures": _of("getMeasures", "measures", "Get measures", operators.Measures),
    "GET costs": _of("getCosts", "costs", "Get costs", operators.Costs),
    "GET budgets": _of("listBudgets", "costs", "List budgets", operators.Budgets),
    "PUT budgets": _of("setBudget", "costs", "Set a budget", operators.SetBudget),
    "GET users/{user}/balance": _of("getBalance", "costs", "Get a balance", operators.Balance),
    "PUT users/{user}/balance": _of("setBalance", "costs", "Set a balance", operators.Balance),
}
