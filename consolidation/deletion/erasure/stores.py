"""Every table, and what an erasure does with its rows: a table that is not here fails a test."""

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
from knowledge import models as known
from memory import models as log
from recall.models import GoldenQuestion, Receipt


def label_of(model: type[Model]) -> str:
    """Return the name of a table's model, with its app's."""
    return f"{model._meta.app_label}.{model.__name__}"  # noqa: SLF001 - Django's public name for it


@dataclass(frozen=True, slots=True)
class Store:
    """A table with an owner's rows, and the way from a row to its owner.

    Without `emptied` the rows are deleted; else these fields get these values, and `left` finds
    the rows that still hold something.
    """

    model: type[Model]
    path: str = "owner"
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
STORES: tuple[Store, ...] = (
    Store(GoldenQuestion),
    Store(Receipt),
    Store(work.Candidate, "session__owner"),
    Store(work.LearningRun, "session__owner"),
    Store(work.CompactionRun, "session__owner"),
    Store(work.Import),
    Store(work.ContextEvent),
    Store(work.SynthesisRun),
    Store(work.DailyMeasure),
    Store(known.ChangeItem, "changeset__owner"),
    Store(known.Changeset),
    Store(known.Forgetting),
    Store(known.Tombstone),
    Store(known.ApprovalPolicy),
    Store(known.KnowledgeEmbedding),
    Store(known.KnowledgeDocument),
    Store(known.KnowledgeIndex),
    Store(known.EntryTerm),
    Store(known.EntryName),
    Store(known.Entry),
    Store(known.EntryIndex),
    Store(known.InboxItem),
    Store(known.Entity),
    Store(known.Fact),
    Store(known.Arc),
    Store(known.Rule),
    Store(known.ProceduralProfile),
    Store(known.UserNarrative),
    Store(known.Scaffold),
    Store(known.LearnedInfo),
    Store(known.ScaffoldEntry),
    Store(known.Contradiction),
    Store(known.Pattern),
    Store(known.SavedFact),
    Store(known.FactCategory),
    Store(known.ContextDocument),
    Store(known.ConnectionContext, "connection__owner"),
    Store(Connection),
    Store(log.Embedding),
    Store(log.Posting),
    Store(log.Term),
    Store(log.Chunk),
    Store(log.OwnerIndex),
    Store(log.Snapshot, "session__owner"),
    Store(log.CompactMarker, "session__owner"),
    Store(log.ReferenceSummary, "window__session__owner"),
    Store(log.SessionStep, "session__owner"),
    Store(
        log.Event,
        emptied=NO_EVENT,
        left=Q(payload__isnull=False)
        | Q(salt__isnull=False)
        | ~Q(tool_call_id="")
        | ~Q(skill_phase=""),
    ),
    Store(
        log.Session,
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
    Store(CostEntry, emptied={"user": None, "session": None}, left=Q(user__isnull=False)),
)
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
