"""Keep what somebody asks to keep: a text at once, a conversation to be learned from."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from accounts.ids import new_id
from accounts.models import Owner
from audit.log import record
from consolidation.embedding import learned as learned_vectors
from consolidation.embedding.context import store_context
from consolidation.errors import MemoryRefused
from consolidation.learning.gate.policy import objection_to
from consolidation.verdict import POLICY_VERSION
from knowledge.changes.apply import Evidence, ItemChange, apply_changes
from knowledge.documents.context import NewDocument
from knowledge.errors import ContextForgotten, ItemUnfit
from knowledge.models import ChangeItem, Changeset, ContextDocument, Fact, Rule
from knowledge.models.learned import Category, Confidence, EntityType, Predicate, Timing
from knowledge.notes.write import put_note
from memory.redaction import is_secret
from recall.memories.memory import MemoryKind, MemoryState, note_id

LONGEST = {MemoryKind.FACT: 200, MemoryKind.RULE: 280}
NAME_CHARACTERS = 60
OUTRIGHT = "said.outright"


@dataclass(frozen=True, slots=True)
class AddedMemories:
    """The memory that a text became. `changeset` takes it back; None where it is just deleted."""

    id: UUID
    kind: MemoryKind
    state: MemoryState = MemoryState.ACTIVE
    changeset: UUID | None = None


def kind_for(text: str) -> MemoryKind:
    """Return what a text becomes unless somebody says: a fact as far as it is short enough."""
    return MemoryKind.FACT if len(text) <= LONGEST[MemoryKind.FACT] else MemoryKind.DOCUMENT


def add_text(
    *, owner: Owner, text: str, kind: MemoryKind, actor: str, request_key: str | None = None
) -> AddedMemories:
    """Keep a text as a fact, a rule, a note or a document, at once; the same text is kept once.

    Raises ItemUnfit for one too long for its kind, MemoryRefused when a guard objects, ContextForgotten when the person had it deleted for
    good, or what the store of the kind raises.
    """
    is_learned = kind in FIELDS
    if is_learned and len(text) > LONGEST[kind]:
        raise ItemUnfit(f"a {kind} is at most {LONGEST[kind]} characters", detail={"field": "text"})
    guard = objection_to(text) if is_learned else "guard.secret" if is_secret(text) else None
    if guard:
        raise MemoryRefused("a guard refuses the text", detail={"guard": str(guard)})
    return KEEPERS[kind](owner, text, actor, request_key)


def _keep_learned(kind: MemoryKind) -> Callable[[Owner, str, str, str | None], AddedMemories]:
    def keep(owner: Owner, text: str, actor: str, request_key: str | None) -> AddedMemories:
        same = _same(owner, kind, text)
        if same is not None:
            return AddedMemories(same, kind)
        with transaction.atomic():
            made = apply_changes(
                owner=owner,
                origin=Changeset.Origin.AGENT,
                run_key=f"outright:{request_key or new_id()}"[:100],
                changes=[_change(kind, text)],
                actor=actor,
            )
            record(actor=actor, action=f"memory.add_{kind}", subject=str(made.pk))
            learned_vectors.nudge()
        return _added(made, kind)

    return keep


def _same(owner: Owner, kind: MemoryKind, text: str) -> UUID | None:
    """Return the active item that says just this; None where there is none."""
    rows = (
        Fact.objects.filter(owner=owner, evidence_quote__iexact=text)
        if kind is MemoryKind.FACT
        else Rule.objects.filter(owner=owner, text__iexact=text)
    )
    return rows.active().values_list("pk", flat=True).first()


def _change(kind: MemoryKind, text: str) -> ItemChange:
    evidence = Evidence(text, "", Confidence.HIGH)
    why = {
        "confidence": Confidence.HIGH,
        "write_timing": Timing.MANUAL,
        "write_reason": OUTRIGHT,
        "policy_version": POLICY_VERSION,
    }
    return ItemChange(
        kind=kind.value,
        act=ChangeItem.Act.ADD,
        target=new_id(),
        fields=FIELDS[kind](text) | why,
        evidence=evidence,
        code=OUTRIGHT,
        reason="",
        policy_version=POLICY_VERSION,
    )


def fact_fields(text: str) -> dict[str, object]:
    """Return a fact's fields for a sentence that somebody says outright."""
    return {
        "category": Category.CONTEXT,
        "subject_type": EntityType.USER,
        "subject": "user",
        "predicate": Predicate.KNOWS,
        "object_type": EntityType.CONCERN,
        "object": text,
        "statement": text,
        "evidence_quote": text,
    }


def rule_fields(text: str) -> dict[str, object]:
    return {"text": text, "evidence": [text], "source": Rule.Source.MANUAL}


def _added(made: Changeset, kind: MemoryKind) -> AddedMemories:
    item = made.items.order_by("place").first()
    assert item is not None, "a changeset of one change has it"  # noqa: S101 - narrows
    if item.state == ChangeItem.State.REJECTED or item.target is None:
        raise ContextForgotten("the person had this deleted for good, or wants none of its kind")
    is_waiting = item.state == ChangeItem.State.WAITING
    state = MemoryState.WAITING if is_waiting else MemoryState.ACTIVE
    return AddedMemories(item.target, kind, state, made.pk)


def _keep_note(owner: Owner, text: str, actor: str, request_key: str | None) -> AddedMemories:
    put = put_note(owner=owner, actor=actor, name=note_name(text), content=text)
    return AddedMemories(note_id(put.entry.pk), MemoryKind.NOTE)


def note_name(text: str) -> str:
    """Return the name of a note that came without one: its first words, and a digest of it all."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    words = "".join(sign if sign.isalnum() else " " for sign in text[:NAME_CHARACTERS])
    return " ".join([*words.split(), digest])


def _keep_document(owner: Owner, text: str, actor: str, request_key: str | None) -> AddedMemories:
    source = ContextDocument.Source.USER_PROVIDED
    ids = store_context(owner=owner, document=NewDocument(text, source=source))
    if not ids:
        raise ContextForgotten("the text was deleted for good once")
    return AddedMemories(ids[0], MemoryKind.DOCUMENT)


FIELDS: Mapping[MemoryKind, Callable[[str], dict[str, object]]] = {
    MemoryKind.FACT: fact_fields,
    MemoryKind.RULE: rule_fields,
}
KEEPERS: Mapping[MemoryKind, Callable[[Owner, str, str, str | None], AddedMemories]] = {
    MemoryKind.FACT: _keep_learned(MemoryKind.FACT),
    MemoryKind.RULE: _keep_learned(MemoryKind.RULE),
    MemoryKind.NOTE: _keep_note,
    MemoryKind.DOCUMENT: _keep_document,
}
