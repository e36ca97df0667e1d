"""Every place where something of a person stands: how a deletion is traced there, how it is erased.

Forgetting, correcting, taking back and restoring read the traces, erasure the tables; a table that is
not here fails a test.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session as Login
from django.db.models import Model, Q, QuerySet
from django_q.models import Failure, OrmQ, Schedule, Success, Task

from accounts.models import (
    Agent,
    ApiKey,
    Balance,
    Budget,
    Connection,
    IdempotencyKey,
    Organization,
    Owner,
    RequestBucket,
    User,
)
from audit.models import AuditEntry, CostEntry
from consolidation import models as work
from consolidation.deletion.places.items import ITEMS
from consolidation.deletion.places.log import CHUNKS, EVENTS
from consolidation.deletion.places.observations import OBSERVATIONS
from consolidation.deletion.places.own import (
    CONNECTIONS,
    DOCUMENTS_OF_AGENT,
    FILES,
    NOTES,
    TOOLS,
)
from consolidation.deletion.places.picture import DOCUMENTS, LEARNED_INFO, NARRATIVE, SCAFFOLD
from consolidation.deletion.places.summaries import SUMMARIES
from consolidation.deletion.places.written import LINES, SAVED_FACTS
from consolidation.deletion.trace import Trace
from knowledge import models as known
from memory import models as log
from recall.models import GoldenQuestion, Receipt


def label_of(model: type[Model]) -> str:
    """Return the name of a table's model, with its app's."""
    return f"{model._meta.app_label}.{model.__name__}"  # noqa: SLF001 - Django's public name for it


@dataclass(frozen=True, slots=True)
class Place:
    """A table with an owner's rows, and the way from a row to its owner.

    `traces` are those of single things that are deleted. An erasure deletes the rows; with `emptied`
    these fields get these values instead, and `left` finds the rows that still hold something.
    """

    model: type[Model]
    path: str = "owner"
    traces: tuple[Trace, ...] = ()
    emptied: Mapping[str, object] = field(default_factory=dict)
    left: Q | None = None

    @property
    def label(self) -> str:
        return label_of(self.model)

    def rows(self, owners: Sequence[int]) -> QuerySet:
        """Return the rows that an erasure has yet to delete or to empty."""
        mine: QuerySet = QuerySet(self.model).filter(**{f"{self.path}__in": list(owners)})
        return mine if self.left is None else mine.filter(self.left)


NO_EVENT: Mapping[str, object] = {
    "payload": None,
    "salt": None,
    "tool_call_id": "",
    "skill_phase": "",
    "muted_by": None,
}
NO_SESSION: Mapping[str, object] = {
    "state": log.Session.State.CLOSED,
    "external_id": "",
    "summary": "",
    "metadata": {},
    "crisis_level_max": 0,
    "number": None,
    "tier": "",
}
# In the order of deletion: what points at a row goes before it.
PLACES: tuple[Place, ...] = (
    Place(GoldenQuestion),
    Place(Receipt),
    Place(work.Candidate, "session__owner", (OBSERVATIONS,)),
    Place(work.LearningRun, "session__owner"),
    Place(work.CompactionRun, "session__owner"),
    Place(work.Import),
    Place(work.ContextEvent, traces=(OBSERVATIONS,)),
    Place(work.SynthesisRun),
    Place(work.DailyMeasure),
    Place(
        known.ChangeItem, "changeset__owner", (ITEMS, NARRATIVE, SCAFFOLD, LEARNED_INFO, DOCUMENTS)
    ),
    Place(known.Changeset),
    Place(known.Forgetting),
    Place(known.Tombstone),
    Place(known.ApprovalPolicy),
    Place(known.KnowledgeEmbedding),
    Place(known.KnowledgeDocument, traces=(DOCUMENTS_OF_AGENT,)),
    Place(known.KnowledgeIndex),
    Place(known.EntryTerm),
    Place(known.EntryName),
    Place(known.Entry, traces=(NOTES, SUMMARIES)),
    Place(known.EntryIndex),
    Place(known.InboxItem),
    Place(known.Entity),
    Place(known.Fact, traces=(ITEMS,)),
    Place(known.Arc, traces=(ITEMS, SUMMARIES)),
    Place(known.Rule, traces=(ITEMS,)),
    Place(known.ProceduralProfile),
    Place(known.UserNarrative, traces=(NARRATIVE,)),
    Place(known.Scaffold, traces=(SCAFFOLD,)),
    Place(known.LearnedInfo, traces=(LEARNED_INFO,)),
    Place(known.ScaffoldEntry, traces=(SCAFFOLD,)),
    Place(known.Contradiction, traces=(SCAFFOLD,)),
    Place(known.Pattern, traces=(OBSERVATIONS,)),
    Place(known.SavedFact, traces=(SAVED_FACTS,)),
    Place(known.FactCategory),
    Place(known.ContextDocument, traces=(DOCUMENTS, CONNECTIONS)),
    Place(known.ConnectionContext, "connection__owner", (CONNECTIONS,)),
    Place(Connection, traces=(CONNECTIONS, TOOLS)),
    Place(log.Embedding),
    Place(log.Posting),
    Place(log.Term),
    Place(log.Chunk, traces=(CHUNKS,)),
    Place(log.OwnerIndex),
    Place(log.Snapshot, "session__owner", (SUMMARIES,)),
    Place(log.CompactMarker, "session__owner"),
    Place(log.ReferenceSummary, "window__session__owner", (SUMMARIES,)),
    Place(log.SessionStep, "session__owner"),
    Place(
        log.Event,
        traces=(EVENTS,),
        emptied=NO_EVENT,
        left=Q(payload__isnull=False)
        | Q(salt__isnull=False)
        | ~Q(tool_call_id="")
        | ~Q(skill_phase=""),
    ),
    Place(
        log.Session,
        traces=(SUMMARIES,),
        emptied=NO_SESSION,
        left=~Q(state=log.Session.State.CLOSED)
        | ~Q(external_id="")
        | ~Q(summary="")
        | ~Q(metadata={})
        | Q(number__isnull=False)
        | ~Q(tier="")
        | ~Q(crisis_level_max=0),
    ),
    # Numbers and ids: what it cost stays, for whom it was goes.
    Place(CostEntry, emptied={"user": None, "session": None}, left=Q(user__isnull=False)),
)
# In the order in which a deletion removes and a return restores. The last are no rows.
TRACES: tuple[Trace, ...] = (
    ITEMS,
    OBSERVATIONS,
    NARRATIVE,
    SCAFFOLD,
    LEARNED_INFO,
    DOCUMENTS,
    SAVED_FACTS,
    SUMMARIES,
    EVENTS,
    CHUNKS,
    NOTES,
    DOCUMENTS_OF_AGENT,
    CONNECTIONS,
    TOOLS,
    LINES,
    FILES,
)
TRACE_OF_KIND: Mapping[str, Trace] = {kind: trace for trace in TRACES for kind in trace.kinds}
# What is done with these is a step of its own.
APART: Mapping[type[Model], str] = {
    IdempotencyKey: "deleted, by the ids of what they made",
    work.Job: "deleted, by the ids in their keys",
    LogEntry: "names and messages emptied",
    AuditEntry: "codes and ids stay; the name of the person goes",
    Login: "deleted, with the account",
    User: "deleted, when no agent knows the person any more and they have no password",
    Balance: "deleted, with the account",
    Budget: "deleted, with the account",
    Owner: "its key is replaced by the erasure's id",
}
# Ids, numbers and hashes: that something was said, and neither what nor by whom.
KEPT: Mapping[type[Model], str] = {
    log.LaneWindow: "the heads of the chains: hashes that prove that nothing else is missing",
    work.Erasure: "this record",
}
# Kept by law or duty, under a pseudonym.
SEALED: Mapping[str, str] = {
    "crisis.CrisisRecord": "kept for its own term under a pseudonym: docs/sealed.md",
    "crisis.CrisisDay": "counts of days, of nobody",
    "feedback.FeedbackRecord": "kept for its own term under a pseudonym: docs/sealed.md",
}
# Of the installation or an organization, and of no person.
NOBODYS: frozenset[type[Model]] = frozenset(
    {
        Agent,
        ApiKey,
        Organization,
        RequestBucket,
        log.EmbeddingSpace,
        work.WorkerHeartbeat,
        Group,
        Permission,
        ContentType,
        Failure,
        OrmQ,
        Schedule,
        Success,
        Task,
    }
)
