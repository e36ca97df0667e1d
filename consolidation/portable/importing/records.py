"""What an export tells besides what is learned: choices, tools, observations, notes and facts by name."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from uuid import UUID

from accounts.models import Connection, Owner
from consolidation.models import ContextEvent
from consolidation.portable.export import name_of
from consolidation.portable.importing.ids import Ids
from consolidation.portable.importing.rows import Recipe, restore
from consolidation.portable.reading.checking import Row, text_of
from consolidation.portable.reading.document import Export
from knowledge.documents.context import NewDocument, document_id, metadata_of, put_documents
from knowledge.imports.items import Act, ImportTally, Intake
from knowledge.models import (
    ApprovalPolicy,
    ChangeItem,
    ContextDocument,
    Contradiction,
    Entry,
    EntryName,
    Pattern,
    SavedFact,
)
from knowledge.notes.entries.operations import Add, Alias, EntryKind
from knowledge.notes.store import apply_operation

Tallies = dict[str, ImportTally]


def take_choices_and_tools(owner: Owner, export: Export, ids: Ids) -> Tallies:
    """Take what else names: before anything that was learned of it."""
    agent = {"agent_id": owner.agent_id}
    organization = {"organization_id": owner.agent.organization_id}
    recipes = (
        Recipe(ApprovalPolicy, ("category",), extra=agent),
        Recipe(Connection, ("tool", "name"), ("id",)),
        Recipe(ContextEvent, ("key",), ("id",), organization, _observed),
    )
    return _restored(owner, export, ids, recipes)


def take_facts_by_name(owner: Owner, export: Export, ids: Ids) -> Tallies:
    recipes = (
        Recipe(SavedFact, ("key",), ("id", "source_session"), change=_saved),
        Recipe(Pattern, ("kind", "key"), ("id", "sessions", "sources")),
        Recipe(Contradiction, ("path", "created_at"), ("changeset", "kept_events", "lost_events")),
    )
    return _restored(owner, export, ids, recipes)


def take_documents(intake: Intake, export: Export, ids: Ids) -> ImportTally:
    """Keep texts, under the id that each has here, as items of the changeset."""
    owner, mine = intake.owner, ContextDocument.objects.filter(owner=intake.owner)
    told = {_id_here(owner, new): (row, new) for row, new in _documents(export, ids)}
    own = {new_id: row["id"] for new_id, (row, _) in told.items()}
    there = set(mine.filter(pk__in=[*own, *own.values()]).values_list("pk", flat=True))
    wanted = {id: pair for id, pair in told.items() if not {id, own[id]} & there}
    kept = put_documents(owner=owner, documents=[new for _, new in wanted.values()])
    for id in kept:
        row, new = wanted[id]
        mine.filter(pk=id).update(
            created_at=row["created_at"], last_used_at=row.get("last_used_at")
        )
        intake.item(
            ChangeItem.Kind.DOCUMENT, Act.ADD, target=id, after={"content": new.content}
        ).save()
    rows = export.rows(ContextDocument)
    return ImportTally(len(kept), len(rows) - len(wanted), len(wanted) - len(kept))


def take_notes(owner: Owner, export: Export) -> ImportTally:
    """Add notes and archives whose names are free; those that are taken stay as they are."""
    aliases: dict[object, list[str]] = {}
    for row in sorted(export.rows(EntryName), key=lambda one: str(one["id"]).zfill(20)):
        aliases.setdefault(row["entry_id"], []).append(text_of(row, "name"))
    taken = set(EntryName.objects.filter(owner=owner).values_list("name", flat=True))
    tally = ImportTally()
    for row in export.rows(Entry):
        name, at = text_of(row, "name"), row.get("created_at")
        if name in taken:
            tally.known += 1
            continue
        add = Add(name, text_of(row, "content"), EntryKind(text_of(row, "kind") or "note"))
        made = apply_operation(
            owner=owner, operation=add, created_at=at if isinstance(at, datetime) else None
        )
        taken.add(name)
        for alias in aliases.get(row["id"], []):
            if alias not in taken:
                apply_operation(owner=owner, operation=Alias(name, alias))
                taken.add(alias)
        told = {one: row[one] for one in ("version", "updated_at") if row.get(one)}
        Entry.objects.filter(pk=made.entry.pk).update(**told)
        tally.added += 1
    return tally


def _restored(owner: Owner, export: Export, ids: Ids, recipes: Iterable[Recipe]) -> Tallies:
    return {name_of(one.model): restore(owner, one, export.rows(one.model), ids) for one in recipes}


def _observed(told: dict[str, object], ids: Ids) -> None:
    data = told.get("source_metadata")
    told["source_metadata"] = ids.in_metadata(data) if isinstance(data, Mapping) else {}


def _saved(told: dict[str, object], ids: Ids) -> None:
    told["source_event"] = ids.reference(str(told.get("source_event") or ""))


def _documents(export: Export, ids: Ids) -> Iterator[tuple[Row, NewDocument]]:
    for row in export.rows(ContextDocument):
        yield row, _document(row, ids)


def _id_here(owner: Owner, document: NewDocument) -> UUID:
    metadata = metadata_of(owner, document)
    return document_id(document.content, metadata, agent=owner.agent_id)


def _document(row: Mapping[str, object], ids: Ids) -> NewDocument:
    events, connection = row.get("events"), row.get("connection_id")
    return NewDocument(
        content=text_of(row, "content"),
        context_type=text_of(row, "context_type"),
        source=text_of(row, "source"),
        tool_id=text_of(row, "tool_id"),
        connection=ids.within(connection) if connection else None,  # type: ignore[arg-type]  # an id
        message_id=text_of(row, "message_id"),
        attachment_id=text_of(row, "attachment_id"),
        filename=text_of(row, "filename"),
        events=tuple(str(ids.within(str(one))) for one in events)
        if isinstance(events, list)
        else (),
        is_sensitive=bool(row.get("is_sensitive")),
    )
