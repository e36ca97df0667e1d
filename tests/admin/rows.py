"""A row in every table that the admin shows."""

from django.contrib.auth.models import Group

from accounts.ids import new_id
from accounts.keys import issue_key
from accounts.models import Balance, Budget, Connection, IdempotencyKey, Organization, RequestBucket
from audit.models import CostEntry
from consolidation.models import (
    Candidate,
    CompactionRun,
    ContextEvent,
    DailyMeasure,
    Erasure,
    Import,
    LearningRun,
    SynthesisRun,
    WorkerHeartbeat,
)
from knowledge.documents.agent import put_document
from knowledge.models import (
    ApprovalPolicy,
    Arc,
    ChangeItem,
    Changeset,
    ConnectionContext,
    ContextDocument,
    Contradiction,
    Entity,
    Fact,
    FactCategory,
    Forgetting,
    InboxItem,
    LearnedInfo,
    Pattern,
    ProceduralProfile,
    Rule,
    SavedFact,
    Scaffold,
    ScaffoldEntry,
    Tombstone,
    UserNarrative,
)
from knowledge.notes.entries.operations import Add
from knowledge.notes.store import apply_operation
from memory.models import CompactMarker, EmbeddingSpace, ReferenceSummary, Session, Snapshot
from recall.models import GoldenQuestion, Receipt
from tests.factories import WHEN, make_agent, make_ended_session


def fill(first: int, last: int, **agent_fields) -> None:
    """Add rows to every table that the admin shows."""
    for number in range(first, last):
        agent = make_agent(f"agent_{number}", **agent_fields)
        session = make_ended_session(agent, ["the secret trout"], user=f"user {number}")
        key = issue_key(organization=agent.organization, agent=agent, actor="test").row
        RequestBucket.objects.create(key=key, tokens=1, granted=1, at=WHEN)
        Forgetting.objects.create(
            owner=session.owner,
            actor="alice",
            items=1,
            contents={"items": ["the secret trout"]},
            final_at=WHEN,
        )
        IdempotencyKey.objects.create(agent=agent, key="once", fingerprint=b"", resources=[])
        Receipt.objects.create(owner=session.owner, kind="recall", query="the secret trout")
        GoldenQuestion.objects.create(owner=session.owner, query="the secret trout", expected=[])
        WorkerHeartbeat.objects.create(host=f"host {number}", at=WHEN)
        EmbeddingSpace.objects.create(
            model=f"model {number}", version="1", dimension=3, state="retired"
        )
        fill_costs(session)
        fill_lanes(session)
        fill_learned(session)
        fill_profile(session)
        Group.objects.create(name=f"group {number}")
        Organization.objects.create(slug=f"organization_{number}", name="Another")


def fill_costs(session: Session) -> None:
    """Add what calls cost, and what limits them."""
    owner = session.owner
    organization = owner.agent.organization
    Balance.objects.create(user=owner.user, micro_usd=1)
    Budget.objects.create(organization=organization, agent=owner.agent, micro_usd=1)
    Erasure.objects.create(
        organization=organization, agents=[], owners=[], pseudonyms=[], state="done"
    )
    CostEntry.objects.create(
        organization=organization.pk,
        owner=owner.pk,
        purpose="embed",
        provider="openai",
        model="a model",
        price_version="1",
        micro_usd=1,
        state="settled",
        day=WHEN.date(),
    )


def fill_lanes(session: Session) -> None:
    """Add what a session's lanes and the memory beside it leave."""
    owner, secret = session.owner, "the secret trout"
    for window in session.windows.all():
        place = {"session": session, "lane": window.lane}
        ReferenceSummary.objects.create(window=window, text=secret)
        CompactMarker.objects.create(
            **place, number=1, seq=1, folded=[1], archive_name=f"{owner.pk}-1", archived_at=WHEN
        )
        CompactionRun.objects.create(
            **place, start_seq=1, next_start_seq=2, last_seq=2, reply={"summary": secret}
        )
    Snapshot.objects.create(session=session, lanes={}, summary=secret)
    apply_operation(owner=owner, operation=Add("one", secret))
    FactCategory.objects.create(owner=owner, name=secret)
    SavedFact.objects.create(owner=owner, key=secret, value=secret, source="context_flush")
    put_document(owner=owner, key="one", content=secret, language="english")


def fill_learned(session: Session) -> None:
    """Add what the gate looked at, let through and wrote down."""
    owner, secret = session.owner, "the secret trout"
    why = {"write_timing": "immediate", "write_reason": "llm_policy", "policy_version": "1"}
    # Of a turn that nobody said: what was said has been learned from.
    place = {"session": session, "lane": "semantic", "turn": 999}
    Entity.objects.create(owner=owner, name=secret, kind="Person", **why)
    Fact.objects.create(
        owner=owner,
        category="preference",
        subject_type="User",
        subject="user",
        predicate="USES",
        object_type="Concern",
        object=secret,
        evidence_quote=secret,
        confidence="high",
        **why,
    )
    Arc.objects.create(
        owner=owner,
        session=session.pk,
        started_at=WHEN,
        ended_at=WHEN,
        turn_count=3,
        summary=secret,
        **why,
    )
    Rule.objects.create(owner=owner, text=secret, confidence="high", source="manual", **why)
    ProceduralProfile.objects.get_or_create(owner=owner)
    changes = Changeset.objects.create(owner=owner, origin="turn", run_key="1")
    ChangeItem.objects.create(
        changeset=changes, place=0, kind="fact", act="add", quote=secret, code="llm_policy"
    )
    ApprovalPolicy.objects.create(agent=owner.agent, owner=owner, category="loss")
    Tombstone.objects.create(owner=owner, kind="fact", digest=b"")
    LearningRun.objects.create(**place, reply={"facts": [secret]})
    Candidate.objects.create(
        **place,
        place=0,
        payload={"quote": secret},
        source_event="ev-1",
        action="drop",
        code="guard.provenance",
        policy_version="1",
        state="dropped",
    )


def fill_profile(session: Session) -> None:
    """Add the picture of the session's user, and what it is made of."""
    owner, secret = session.owner, "the secret trout"
    connection = Connection.objects.create(owner=owner, tool="mail")
    ConnectionContext.objects.create(
        connection=connection,
        kind="schema",
        data={"secret": secret},
        fetched_at=WHEN,
        expires_at=WHEN,
    )
    UserNarrative.objects.create(owner=owner, text=secret)
    Scaffold.objects.create(owner=owner, data={"Pet": secret})
    LearnedInfo.objects.create(owner=owner, items=[secret])
    seen = {"first_seen_at": WHEN, "last_seen_at": WHEN}
    Pattern.objects.create(owner=owner, kind="theme", key=secret, text=secret, **seen)
    InboxItem.objects.create(owner=owner, item="1", words={"text": secret}, received_at=WHEN)
    ScaffoldEntry.objects.create(
        owner=owner, path="/Pet", confidence=0.5, channel="interactive", observed_at=WHEN
    )
    Contradiction.objects.create(owner=owner, path="/Pet", kept=secret, lost="salmon", rule="newer")
    ContextDocument.objects.create(
        id=new_id(),
        owner=owner,
        content=secret,
        context_type="user_persistent",
        source="system_learned",
    )
    Import.objects.create(owner=owner, actor="test", told_of=secret)
    run = SynthesisRun.objects.create(owner=owner, state="done")
    ContextEvent.objects.create(
        owner=owner,
        organization=owner.agent.organization,
        event_type="fact",
        content=secret,
        source_metadata={"source": "interactive"},
        run=run,
        observed_at=WHEN,
    )
    DailyMeasure.objects.create(owner=owner, day=WHEN, name="corrections", part=1, whole=2)
