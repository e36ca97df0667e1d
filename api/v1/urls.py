"""The addresses of version 1."""

from django.urls import path, register_converter
from django.urls.converters import StringConverter
from drf_spectacular.views import SpectacularAPIView

from api.v1 import (
    agents,
    approval,
    changesets,
    connections,
    context_documents,
    costs,
    crisis,
    docs,
    forgetting,
    golden,
    imports,
    inbox,
    inbox_items,
    jobs,
    knowledge,
    measures,
    memories,
    memory,
    notes,
    observations,
    organization,
    patterns,
    playbooks,
    privacy,
    profile,
    recall,
    rewind,
    saved_facts,
    sessions,
    workspace,
)
from api.v1.tools import views as tools


class ActionConverter(StringConverter):
    regex = "retry|cancel"


class DecisionConverter(StringConverter):
    regex = "approve|reject"


class LayerConverter(StringConverter):
    regex = "facts|sessions|rules"


class JobId(StringConverter):
    """An id that fits the column: a longer number would be an error of the database."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:  # type: ignore[override]  # a number, unlike its base
        return int(value)


register_converter(ActionConverter, "action")
register_converter(DecisionConverter, "decision")
register_converter(JobId, "job")
register_converter(LayerConverter, "layer")

urlpatterns = [
    # Asked most often: the addresses are tried in order.
    path("recall", recall.RecallView.as_view()),
    path("memories/search", memories.MemorySearchView.as_view()),
    path("memories", memories.MemoryList.as_view()),
    path("memories/forget", memories.MemoryForgetView.as_view()),
    path("memories/<uuid:memory>", memories.MemoryDetail.as_view()),
    path("agents", agents.AgentList.as_view()),
    path("agents/<slug:slug>", agents.AgentDetail.as_view()),
    path("agents/<slug:slug>/stop", agents.AgentStop.as_view()),
    path("agents/<slug:slug>/keys", agents.AgentKeys.as_view()),
    path("agents/<slug:slug>/approval", approval.AgentApproval.as_view()),
    path("organization", organization.OrganizationDetail.as_view()),
    path("sessions", sessions.SessionList.as_view()),
    path("sessions/<uuid:session>", sessions.SessionDetail.as_view()),
    path("sessions/<uuid:session>/events", sessions.SessionEvents.as_view()),
    path("sessions/<uuid:session>/context", sessions.SessionContext.as_view()),
    path("sessions/<uuid:session>/compact", sessions.SessionCompact.as_view()),
    path("sessions/<uuid:session>/heartbeat", sessions.SessionHeartbeat.as_view()),
    path("sessions/<uuid:session>/transcript", sessions.SessionTranscript.as_view()),
    path("sessions/<uuid:session>/end", sessions.SessionEnd.as_view()),
    path("sessions/<uuid:session>/crisis", crisis.SessionCrisis.as_view()),
    path("knowledge", knowledge.KnowledgeList.as_view()),
    path("knowledge/<path:key>", knowledge.KnowledgeDetail.as_view()),
    path("notes", notes.NoteList.as_view()),
    path("notes/search", notes.NoteSearch.as_view(), {"name": "search"}),
    path("notes/<str:name>", notes.NoteDetail.as_view()),
    path("workspace", workspace.WorkspaceList.as_view()),
    path("workspace/search", workspace.WorkspaceSearch.as_view()),
    path("workspace/versions/<path:name>", workspace.WorkspaceVersions.as_view()),
    path("workspace/<path:name>", workspace.WorkspaceFile.as_view()),
    path("saved-facts", saved_facts.SavedFactList.as_view()),
    path("saved-facts/search", saved_facts.SavedFactSearch.as_view()),
    path("saved-facts/<uuid:fact>", saved_facts.SavedFactDetail.as_view()),
    path("changesets", changesets.ChangesetList.as_view()),
    path("changesets/<uuid:changeset>", changesets.ChangesetDetail.as_view()),
    path("changesets/<uuid:changeset>/revert", changesets.ChangesetRevert.as_view()),
    path(
        "changesets/<uuid:changeset>/items/<job:place>/<decision:decision>",
        changesets.ChangeDecision.as_view(),
    ),
    path("memory/status", memory.MemoryStatus.as_view()),
    path("memory/recall", memory.MemoryRecall.as_view()),
    path("memory/sharing", memory.MemorySharing.as_view()),
    path("memory/forget", forgetting.MemoryForget.as_view()),
    path("memory/as-of", rewind.MemoryAsOf.as_view()),
    path("memory/patterns", patterns.PatternList.as_view()),
    path("memory/<layer:layer>", memory.MemoryItems.as_view()),
    path("memory/<layer:layer>/<uuid:item>", memory.MemoryItem.as_view()),
    path("users/<path:user>/profile", profile.UserProfile.as_view()),
    path("users/<path:user>/page-link", privacy.UserPageLink.as_view()),
    path("users/<path:user>/erase", privacy.UserErase.as_view()),
    path("users/<path:user>/export", privacy.UserExport.as_view()),
    path("import", imports.ImportList.as_view()),
    path("imports/<uuid:id>", imports.ImportDetail.as_view()),
    path("erasures/<uuid:erasure>", privacy.ErasureDetail.as_view()),
    path("users/<path:user>/memory-state", profile.UserMemoryState.as_view()),
    path("inbox/scores", inbox.InboxScoring.as_view()),
    path("playbooks/render", playbooks.PlaybookRendering.as_view()),
    path("context-documents", context_documents.ContextList.as_view()),
    path("context-documents/search", context_documents.ContextSearch.as_view()),
    path("context-documents/<uuid:document>", context_documents.ContextDetail.as_view()),
    path("receipts/<uuid:receipt>", recall.ReceiptDetail.as_view()),
    path("golden", golden.GoldenList.as_view()),
    path("golden/<uuid:question>", golden.GoldenDetail.as_view()),
    path("suggestions", patterns.ToolSuggestions.as_view()),
    path("connections", connections.ConnectionList.as_view()),
    path("connections/<uuid:connection>", connections.ConnectionDetail.as_view()),
    path("connections/<uuid:connection>/context", connections.ConnectionContexts.as_view()),
    path("inbox", inbox_items.Inbox.as_view()),
    path("observations", observations.ObservationList.as_view()),
    path("tools", tools.ToolList.as_view()),
    path("tools/<str:name>", tools.ToolCall.as_view()),
    path("measures", measures.Measures.as_view()),
    path("costs", costs.CostList.as_view()),
    path("budgets", costs.BudgetList.as_view()),
    path("users/<path:user>/balance", costs.UserBalance.as_view()),
    path("jobs", jobs.JobList.as_view()),
    path("jobs/<job:job>/<action:action>", jobs.JobAction.as_view()),
    path("docs", docs.show, name="docs"),
    path(
        "schema",
        SpectacularAPIView.as_view(permission_classes=[], authentication_classes=[]),
        name="schema",
    ),
]
