"""A real row for every part of an address, all of them alice's, as the agent porter knows her."""

from collections.abc import Mapping

from django.contrib.contenttypes.models import ContentType
from django.core import signing
from django.utils import timezone

from accounts.ids import new_id
from accounts.keys import issue_key
from accounts.models import Agent, Connection, Owner
from accounts.owners import agent_owner
from accounts.page_links import make_page_link
from consolidation.models import (
    Candidate,
    ContextEvent,
    Erasure,
    Import,
    Job,
    WorkerHeartbeat,
)
from inspector.privacy.erasures import SALT
from knowledge.changes.apply import edit_item
from knowledge.documents.agent import put_document
from knowledge.models import (
    ChangeItem,
    Changeset,
    ContextDocument,
    Fact,
    Forgetting,
    SavedFact,
)
from knowledge.notes.entries.operations import Add
from knowledge.notes.store import apply_operation
from memory.models import EmbeddingSpace, Session
from recall.models import GoldenQuestion, Receipt
from tests.api import hostile
from tests.consolidation.deletion.erasure.conftest import fill_person
from tests.inspector.why.story import make_receipt, make_talk


def fill_home(porter: Agent) -> Session:
    """Give alice a row in every store, something that waits for her, and something that failed."""
    session = fill_person(porter, "alice")
    owner = session.owner
    owner.user.username = "alice"
    owner.user.save()
    _ask_about_a_rule()
    _correct_the_fact(owner)
    Candidate.objects.update(state="held")
    ContextEvent.objects.update(set_aside_at=timezone.now(), error_code="reply_malformed")
    Job.objects.create(
        kind="learn",
        key=f"{session.pk}:1",
        subject=f"learn:{session.pk}",
        state="dead",
        attempts=5,
        max_attempts=5,
        last_error_code="provider_refused",
    )
    WorkerHeartbeat.objects.create(host="here", at=timezone.now())
    # What an agent keeps for itself, and a note with the name of a route.
    put_document(owner=agent_owner(porter), key="one", content="trout", language="english")
    apply_operation(owner=owner, operation=Add("search", "trout"))
    EmbeddingSpace.objects.create(model="hashing", version="another", dimension=64)
    # As if her correction had come from a file.
    Import.objects.update(changeset=Changeset.objects.get(origin="person").pk)
    # Of an account that is gone already.
    Erasure.objects.create(
        organization=porter.organization,
        agents=[porter.pk],
        owners=[],
        pseudonyms=[],
        state="done",
        certificate={"rows": 1},
    )
    return session


def _ask_about_a_rule() -> None:
    """Let the change that there is wait for somebody's word."""
    why = {"write_timing": "immediate", "write_reason": "llm_policy", "policy_version": "1"}
    after = {"text": "Be brief.", "confidence": "high", "source": "manual", **why}
    ChangeItem.objects.update(state="waiting", kind="rule", act="add", target=new_id(), after=after)


def _correct_the_fact(owner: Owner) -> None:
    """Let alice correct something, and keep what her picture says of it, to be looked at."""
    fact = Fact.objects.get(owner=owner)
    edit_item(
        owner=owner,
        kind="fact",
        target=fact.pk,
        fields={"object": "a second trout"},
        version=fact.version,
        actor="alice",
    )


def values_of(session: Session) -> Mapping[str, object]:
    """Return what stands in the addresses, by name; `before/<name>` where a name alone is not enough."""
    owner = session.owner
    agent = owner.agent
    key = issue_key(organization=agent.organization, agent=agent, actor="test").row
    waiting = ChangeItem.objects.get(state="waiting")
    erasure = Erasure.objects.get().pk
    return {
        "<owner:owner>": owner.pk,
        "<layer:layer>": "facts",
        "<memory_layer:layer>": "facts",
        "<uuid:item>": Fact.objects.get(owner=owner).pk,
        "candidates/<int:one>": Candidate.objects.get().pk,
        "changes/<int:one>": waiting.pk,
        "<uuid:run>": waiting.changeset_id,
        "<place:place>": waiting.place,
        "<uuid:changeset>": waiting.changeset_id,
        "undo/<uuid:changeset>": Changeset.objects.get(origin="person").pk,
        "<uuid:act>": Forgetting.objects.get().pk,
        "<uuid:session>": session.pk,
        "<uuid:memory>": Fact.objects.get(owner=owner).pk,
        "<uuid:receipt>": Receipt.objects.get().pk,
        "<uuid:question>": GoldenQuestion.objects.get().pk,
        "<uuid:fact>": SavedFact.objects.get().pk,
        "<uuid:connection>": Connection.objects.get().pk,
        "<uuid:event>": ContextEvent.objects.get().pk,
        "<int:job>": Job.objects.filter(state="dead").get().pk,
        "<job:job>": Job.objects.filter(state="dead").get().pk,
        "<action:action>": "retry",
        "<job:place>": waiting.place,
        "<decision:decision>": "approve",
        "<int:space>": EmbeddingSpace.objects.get(version="another").pk,
        "<uuid:agent>": agent.pk,
        "<slug:slug>": agent.slug,
        "<uuid:key>": key.pk,
        "<uuid:one>": Import.objects.get().pk,
        "<uuid:id>": Import.objects.get().pk,
        "<path:user>": "alice",
        "<uuid:erasure>": erasure,
        "<uuid:document>": ContextDocument.objects.get().pk,
        "knowledge/<path:key>": "one",
        "notes/<str:name>": "one",
        "workspace/<path:name>": "SOUL.md",
        "versions/<path:name>": "SOUL.md",
        "tools/<str:name>": "memory_search",
        "erasures/<str:token>": signing.dumps(str(erasure), salt=SALT),
        "enter/<str:token>": make_page_link(person=owner.user, seconds=3_600, actor="test"),
        "<path:content_type_id>": ContentType.objects.get_for_model(Session).pk,
        "<path:object_id>": session.pk,
        "<app>": "memory",
        "<anything else>": "nothing",
    }


def enrich(values: Mapping[str, object], porter: Agent) -> Mapping[str, object]:
    """Give alice a long talk with folds and tools, and the receipt of a prompt that held things."""
    talk = make_talk(porter)
    receipt = make_receipt(porter, talk)
    return {**values, "console/sessions/<uuid:session>": talk.pk, "<uuid:receipt>": receipt.pk}


# Whose rows these routes of the API mean, they are told in their query.
OF_ALICE = (
    "api/v1/notes",
    "api/v1/saved-facts",
    "api/v1/memory/",
    "api/v1/memories",
    "api/v1/context-documents",
    "api/v1/connections",
    "api/v1/observations",
)
# Where an empty body says nothing of who may: with these, somebody could.
BODIES: Mapping[str, Mapping[str, object]] = {
    "POST console/costs/balance": {"user": "alice", "dollars": "1"},
    "POST api/v1/sessions/<uuid:session>/crisis": hostile.POSTS["sessions/SESSION/crisis"],
    "PATCH api/v1/saved-facts/<uuid:fact>": {"value": "x"},
    "PATCH api/v1/memory/<layer:layer>/<uuid:item>": {"is_pinned": True},
    "PATCH api/v1/memories/<uuid:memory>": {"is_pinned": True},
    "PUT api/v1/context-documents/<uuid:document>": {"content": "x"},
    "PUT api/v1/connections/<uuid:connection>/context": {"data": {"a": 1}, "kind": "schema"},
}
