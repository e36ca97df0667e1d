"""Change or forget a memory by its id, in the store that holds it."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from accounts.models import Owner
from consolidation.deletion.trace import Target
from consolidation.edits.documents import change_document
from consolidation.edits.memory import change_item, forget_items
from consolidation.edits.own import forget_document, forget_note
from consolidation.errors import MemoryReadOnly
from consolidation.memories.add import fact_fields
from knowledge.models import ChangeItem
from knowledge.notes.write import put_note
from recall.errors import MemoryUnknown
from recall.memories.memory import Memory, MemoryKind

ITEM_KINDS = {
    MemoryKind.FACT: ChangeItem.Kind.FACT,
    MemoryKind.RULE: ChangeItem.Kind.RULE,
    MemoryKind.SUMMARY: ChangeItem.Kind.ARC,
}


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """What is to be another; None leaves it. `version` None takes whatever version there is."""

    text: str | None = None
    is_pinned: bool | None = None
    version: int | None = None


def change_memory(*, owner: Owner, memory: Memory, edit: MemoryEdit, actor: str) -> UUID:
    """Change a memory and return its id, which is another for a document with another text.

    Raises MemoryReadOnly, or what the store raises: ItemChanged, ItemUnfit, EntryChanged.
    """
    if memory.kind in ITEM_KINDS:
        _change_item(owner, memory, edit, actor)
        return memory.id
    if edit.text is None:
        raise MemoryReadOnly(f"a {memory.kind} is not pinned")
    if memory.kind is MemoryKind.NOTE:
        put_note(
            owner=owner, actor=actor, name=memory.about, content=edit.text, expected=edit.version
        )
        return memory.id
    _check_writable(owner, memory)
    return change_document(owner=owner, id=memory.id, content=edit.text, actor=actor)


@transaction.atomic
def forget_memories(
    *, owner: Owner, memories: Sequence[Memory], actor: str, version: int | None = None
) -> list[UUID]:
    """Forget memories for good, all or none, and return the ids of those that there were.

    Raises MemoryReadOnly, or ItemChanged when one is not in `version`.
    """
    targets = [
        Target(ITEM_KINDS[memory.kind], memory.id, version)
        for memory in memories
        if memory.kind in ITEM_KINDS
    ]
    forgotten = [
        UUID(str(item.id)) for item in forget_items(owner=owner, items=targets, actor=actor).items
    ]
    for memory in memories:
        if memory.kind not in ITEM_KINDS:
            _forget(owner, memory, actor, version)
            forgotten.append(memory.id)
    return forgotten


def forget_memory(*, owner: Owner, memory: Memory, actor: str, version: int | None = None) -> None:
    """Forget one memory for good. Raises MemoryUnknown, or what forget_memories raises."""
    if not forget_memories(owner=owner, memories=[memory], actor=actor, version=version):
        raise MemoryUnknown("there is no such memory")


def _change_item(owner: Owner, memory: Memory, edit: MemoryEdit, actor: str) -> None:
    fields = _words(memory.kind, edit.text) if edit.text is not None else {}
    if edit.is_pinned is not None:
        fields["is_pinned"] = edit.is_pinned
    change_item(
        owner=owner,
        kind=ITEM_KINDS[memory.kind],
        target=memory.id,
        fields=fields,
        version=memory.version if edit.version is None else edit.version,
        actor=actor,
    )


def _words(kind: MemoryKind, text: str) -> dict[str, object]:
    """Return the fields that make an item say a text."""
    if kind is MemoryKind.FACT:
        fields = fact_fields(text)
        del fields["category"], fields["statement"]
        return fields
    return {"text": text} if kind is MemoryKind.RULE else {"summary": text}


def _forget(owner: Owner, memory: Memory, actor: str, version: int | None) -> None:
    if memory.kind is MemoryKind.NOTE:
        forget_note(owner=owner, actor=actor, name=memory.about, expected=version)
        return
    _check_writable(owner, memory)
    forget_document(owner=owner, id=memory.id, actor=actor)


def _check_writable(owner: Owner, memory: Memory) -> None:
    is_own = owner.kind == Owner.Kind.AGENT and memory.version
    if memory.kind is MemoryKind.PASSAGE or is_own:
        raise MemoryReadOnly(f"a {memory.kind} of this kind stays as it is")
