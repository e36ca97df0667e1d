"""What a receipt names, with the words that the memory still has of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from accounts.models import Owner
from accounts.owners import scope_of
from knowledge.models import Arc, ContextDocument, Fact, KnowledgeDocument, Rule, SavedFact
from memory.models import Chunk

SESSIONS = "sessions"
# A page shows many items, and one may hold a pasted file.
SHOWN_CHARACTERS = 600
LABELS = {
    SESSIONS: "Passages of sessions",
    "facts": "Facts",
    "arcs": "Earlier sessions",
    "rules": "Rules",
    "context": "Retrieved facts",
    "knowledge": "Documents",
    "saved_facts": "Saved facts",
    "narrative": "Narrative",
    "scaffold": "Profile",
    "learned_info": "Learned info",
    "identity": "Identity",
    "artifacts": "Artifacts",
    "directives": "Directives",
    "events": "Conversation",
    "summary": "Summary",
}
Stored = Mapping[str, object]
Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ReceiptItem:
    """One thing that a prompt or an answer held; None for what a receipt does not say of it."""

    store: str
    id: str
    score: float | None = None
    tokens: int | None = None
    version: int | None = None
    cut: int = 0
    signals: Mapping[str, object] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        return self.store, self.id

    @property
    def label(self) -> str:
        return LABELS.get(self.store, self.store)


@dataclass(frozen=True, slots=True)
class ItemText:
    """What an item says today. `state` is why it counts no more; empty while it does."""

    text: str
    state: str = ""


FORGOTTEN = ItemText("", "forgotten")
UNNAMED = ItemText("")


def read_items(stored: Iterable[Stored]) -> list[ReceiptItem]:
    """Read a receipt's items; the lines of one file are one item."""
    found: dict[tuple[Place, int], ReceiptItem] = {}
    for one in stored:
        item = _item(one)
        before = found.get((item.place, item.cut))
        if before is not None:
            item = replace(before, tokens=(before.tokens or 0) + (item.tokens or 0))
        found[item.place, item.cut] = item
    return list(found.values())


def label_of(stored: Stored) -> str:
    return _item(stored).label


def size_of(stored: Stored) -> int:
    return _item(stored).tokens or 0


def words_of(owner: Owner, items: Sequence[ReceiptItem]) -> dict[Place, ItemText]:
    """Return what each item says today, by its place; one query for each store that is named."""
    ids: dict[str, list[UUID]] = {}
    for item in items:
        if item.store in READERS and item.id:
            ids.setdefault(item.store, []).append(UUID(item.id))
    found: dict[Place, ItemText] = {}
    for store, wanted in ids.items():
        said = READERS[store](owner, wanted)
        found |= {(store, str(one)): said.get(one, FORGOTTEN) for one in wanted}
    return {item.place: found.get(item.place, UNNAMED) for item in items}


def _item(stored: Stored) -> ReceiptItem:
    score, tokens, version = (stored.get(name) for name in ("score", "tokens", "version"))
    cut, signals = stored.get("cut"), stored.get("signals")
    return ReceiptItem(
        store=str(stored.get("store", SESSIONS)),
        id=str(stored.get("id", "")),
        score=float(score) if isinstance(score, int | float) else None,
        tokens=tokens if isinstance(tokens, int) else None,
        version=version if isinstance(version, int) else None,
        cut=cut if isinstance(cut, int) else 0,
        signals=signals if isinstance(signals, Mapping) else {},
    )


def _chunks(owner: Owner, ids: Sequence[UUID]) -> dict[UUID, ItemText]:
    rows = Chunk.objects.within(scope_of(owner.agent, owner=owner.pk)).filter(pk__in=ids)
    said = rows.filter(muted_by=None).values_list("pk", "text")
    return {pk: _shown(text) for pk, text in said}


def _context(owner: Owner, ids: Sequence[UUID]) -> dict[UUID, ItemText]:
    rows = ContextDocument.objects.within(scope_of(owner.agent, owner=owner.pk))
    return {pk: _shown(text) for pk, text in rows.filter(pk__in=ids).values_list("pk", "content")}


def _documents(owner: Owner, ids: Sequence[UUID]) -> dict[UUID, ItemText]:
    # A document may be the agent's own, whoever asked for it.
    rows = KnowledgeDocument.objects.within(scope_of(owner.agent)).filter(pk__in=ids)
    return {pk: _shown(text) for pk, text in rows.values_list("pk", "content")}


def _saved(owner: Owner, ids: Sequence[UUID]) -> dict[UUID, ItemText]:
    rows = SavedFact.objects.within(scope_of(owner.agent, owner=owner.pk)).filter(pk__in=ids)
    said = rows.values_list("pk", "key", "value")
    return {pk: _shown(f"{key}: {value}") for pk, key, value in said}


def _facts(owner: Owner, ids: Sequence[UUID]) -> dict[UUID, ItemText]:
    rows = Fact.objects.within(scope_of(owner.agent, owner=owner.pk)).filter(pk__in=ids)
    return {row.pk: _learned(row, row.statement or _said(row)) for row in rows}


def _said(row: Fact) -> str:
    return f"{_triple(row)} — “{row.evidence_quote}”"


def _arcs(owner: Owner, ids: Sequence[UUID]) -> dict[UUID, ItemText]:
    rows = Arc.objects.within(scope_of(owner.agent, owner=owner.pk)).filter(pk__in=ids)
    return {row.pk: _learned(row, row.summary) for row in rows}


def _rules(owner: Owner, ids: Sequence[UUID]) -> dict[UUID, ItemText]:
    rows = Rule.objects.within(scope_of(owner.agent, owner=owner.pk)).filter(pk__in=ids)
    return {row.pk: _learned(row, row.text) for row in rows}


def _triple(fact: Fact) -> str:
    return f"{fact.subject} {fact.predicate.lower().replace('_', ' ')} {fact.object}"


def _learned(row: Fact | Arc | Rule, text: str) -> ItemText:
    return replace(_shown(text), state=_state(row))


def _state(row: Fact | Arc | Rule) -> str:
    if row.is_active:
        return ""
    if row.superseded_by:
        return "replaced"
    return "in quarantine" if row.is_quarantined else "set aside"


def _shown(text: str) -> ItemText:
    cut = text[:SHOWN_CHARACTERS]
    return ItemText(cut if cut == text else f"{cut} …")


READERS = {
    SESSIONS: _chunks,
    "facts": _facts,
    "arcs": _arcs,
    "rules": _rules,
    "context": _context,
    "knowledge": _documents,
    "saved_facts": _saved,
}
