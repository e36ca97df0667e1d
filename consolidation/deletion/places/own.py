"""What is kept on purpose, and goes when it is chosen itself: notes, knowledge, connections, files."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from uuid import UUID

from accounts.models import Connection, Owner
from audit.log import record
from consolidation.deletion.trace import Deletion, Finding, Trace, named_by
from consolidation.embedding import context as context_vectors
from consolidation.embedding import documents as document_vectors
from knowledge.connections import change_connection, disconnect
from knowledge.documents.agent import delete_document, put_document
from knowledge.documents.items import document_as_json, keep_again
from knowledge.errors import FileUnknown, WorkspaceUnavailable
from knowledge.models import ContextDocument, KnowledgeDocument
from knowledge.models import Entry as Note
from knowledge.notes.entries.operations import Add, Alias
from knowledge.notes.store import apply_operation, find_entry
from knowledge.notes.write import remove_note
from knowledge.workspace.files import delete_file, list_files, read_file, restore_file
from knowledge.workspace.names import SCAFFOLD

NOTE, KNOWLEDGE, FILE = "note", "knowledge", "file"
# A connection, and what was learned of its tool.
CONNECTION, TOOL = "connection", "tool"
OF_CONNECTION = ("tool", "name", "persistent_learned_info", "is_active", "refresh", "schema_url")


def _find_notes(deletion: Deletion) -> list[Finding]:
    rows = [find_entry(owner=deletion.owner, name=str(one.id)) for one in deletion.named(NOTE)]
    return [
        {"name": row.name, "aliases": row.aliases, "content": row.content} for row in rows if row
    ]


def _remove_notes(deletion: Deletion, entries: Sequence[Finding]) -> None:
    for one in deletion.named(NOTE):
        if find_entry(owner=deletion.owner, name=str(one.id)):
            remove_note(
                owner=deletion.owner, actor=deletion.actor, name=str(one.id), expected=one.version
            )


def _restore_notes(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    """Add notes again whose names are free, with the other names that are."""
    for entry in entries:
        name, aliases = str(entry["name"]), entry["aliases"]
        assert isinstance(aliases, list)  # noqa: S101 - our own words
        if find_entry(owner=owner, name=name) is None:
            apply_operation(owner=owner, operation=Add(name, str(entry["content"])))
            for alias in aliases:
                if find_entry(owner=owner, name=alias) is None:
                    apply_operation(owner=owner, operation=Alias(name, alias))


def _key_of_note(owner: Owner, name: str) -> str:
    note = find_entry(owner=owner, name=name)
    return _note_key(note) if note else ""


def _note_key(note: Note) -> str:
    """Return what tells a note from any other of its owner, whatever it is called."""
    return f"{note.number} {note.created_at.isoformat()}"


def _named_notes(owner: Owner, ids: Collection[UUID]) -> list[str]:
    notes = Note.objects.filter(owner=owner, kind=Note.Kind.NOTE).defer("content")
    by_key = {_note_key(note): note.name for note in notes}
    return [by_key[key] for key in named_by(owner, NOTE, by_key, ids)]


def _find_knowledge(deletion: Deletion) -> list[Finding]:
    ids = [one.id for one in deletion.named(KNOWLEDGE)]
    rows = KnowledgeDocument.objects.filter(owner=deletion.owner, pk__in=ids).defer("tsv")
    return [
        {"id": str(row.pk), "key": row.key, "content": row.content, "metadata": row.metadata}
        for row in rows
    ]


def _remove_knowledge(deletion: Deletion, entries: Sequence[Finding]) -> None:
    versions = {str(one.id): one.version for one in deletion.named(KNOWLEDGE)}
    for entry in entries:
        id = str(entry["id"])
        delete_document(owner=deletion.owner, id=UUID(id), expected=versions[id])
        record(actor=deletion.actor, action="knowledge.delete", subject=id)


def _restore_knowledge(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    """Put documents again whose keys are free."""
    mine = KnowledgeDocument.objects.filter(owner=owner)
    for entry in entries:
        if entry["key"] is None or not mine.filter(key=entry["key"]).exists():
            put_document(
                owner=owner,
                content=str(entry["content"]),
                key=None if entry["key"] is None else str(entry["key"]),
                metadata=_mapping(entry["metadata"]),
                language=owner.agent.language,
            )
            document_vectors.nudge()


def _connections(deletion: Deletion, kind: str) -> list[Connection]:
    ids = [one.id for one in deletion.named(kind)]
    return list(Connection.objects.filter(owner=deletion.owner, pk__in=ids).order_by("pk"))


def _find_connections(deletion: Deletion) -> list[Finding]:
    """Return connections with the documents that hang on them."""
    return [
        {
            "id": str(row.pk),
            "fields": {name: getattr(row, name) for name in OF_CONNECTION},
            "documents": [
                document_as_json(document)
                for document in ContextDocument.objects.filter(connection=row).defer("embedding")
            ],
        }
        for row in _connections(deletion, CONNECTION)
    ]


def _remove_connections(deletion: Deletion, entries: Sequence[Finding]) -> None:
    versions = {one.id: one.version for one in deletion.named(CONNECTION)}
    for row in _connections(deletion, CONNECTION):
        disconnect(connection=row, actor=deletion.actor, version=versions[row.pk])


def _restore_connections(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    """Make connections again whose names are free, with their documents."""
    for entry in entries:
        fields, documents = _mapping(entry["fields"]), entry["documents"]
        assert isinstance(documents, list)  # noqa: S101 - our own words
        same = Connection.objects.filter(owner=owner, tool=fields["tool"], name=fields["name"])
        if not same.exists():
            Connection.objects.create(id=UUID(str(entry["id"])), owner=owner, **fields)
            for document in documents:
                keep_again(owner, document)
            context_vectors.nudge_if_any_waits()


def _find_tools(deletion: Deletion) -> list[Finding]:
    return [
        {"id": str(row.pk), "learned": row.persistent_learned_info}
        for row in _connections(deletion, TOOL)
        if row.persistent_learned_info
    ]


def _remove_tools(deletion: Deletion, entries: Sequence[Finding]) -> None:
    versions = {one.id: one.version for one in deletion.named(TOOL)}
    for row in _connections(deletion, TOOL):
        row.owner = deletion.owner
        change_connection(
            connection=row,
            actor=deletion.actor,
            fields={"persistent_learned_info": {}},
            version=versions[row.pk],
        )


def _restore_tools(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    """Write again what was learned of tools, beside what was learned since."""
    for entry in entries:
        row = Connection.objects.filter(owner=owner, pk=str(entry["id"])).first()
        if row is not None:
            row.owner = owner
            learned = {**_mapping(entry["learned"]), **row.persistent_learned_info}
            fields = {"persistent_learned_info": learned}
            change_connection(connection=row, actor=actor, fields=fields)


def _find_files(deletion: Deletion) -> list[Finding]:
    entries: list[Finding] = []
    for one in deletion.named(FILE):
        name = str(one.id)
        with suppress(FileUnknown):
            entries.append({"name": name, "content": read_file(owner=deletion.owner, name=name)})
    return entries


def _remove_files(deletion: Deletion, entries: Sequence[Finding]) -> None:
    """Delete files, now that the ledger has the act. Raises WorkspaceUnavailable."""
    for entry in entries:
        name = str(entry["name"])
        delete_file(owner=deletion.owner, name=name)
        # A file that a person dropped there has a name that may say something.
        subject = name if name in SCAFFOLD else "another file"
        record(actor=deletion.actor, action="workspace.delete", subject=subject)


def _restore_files(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    for entry in entries:
        restore_file(owner=owner, name=str(entry["name"]), text=str(entry["content"]))


def _named_files(owner: Owner, ids: Collection[UUID]) -> list[str]:
    try:
        return named_by(owner, FILE, (one.name for one in list_files(owner)), ids)
    except WorkspaceUnavailable:
        return []


def _mapping(value: object) -> Mapping[str, object]:
    assert isinstance(value, dict)  # noqa: S101 - our own words
    return value


def _note_words(entry: Finding) -> str:
    return f"{entry['name']}: {entry['content']}"


def _knowledge_words(entry: Finding) -> str:
    return f"{entry['key'] or ''}: {entry['content']}"


def _connection_words(entry: Finding) -> str:
    fields = _mapping(entry["fields"])
    return f"{fields['tool']} {fields['name']}".strip()


def _tool_words(entry: Finding) -> str:
    return "; ".join(f"{name}: {text}" for name, text in _mapping(entry["learned"]).items())


NOTES = Trace(
    "notes",
    _find_notes,
    _remove_notes,
    _restore_notes,
    _note_words,
    kinds=(NOTE,),
    names=_named_notes,
    key=_key_of_note,
    is_chosen=True,
)
DOCUMENTS_OF_AGENT = Trace(
    "knowledge",
    _find_knowledge,
    _remove_knowledge,
    _restore_knowledge,
    _knowledge_words,
    kinds=(KNOWLEDGE,),
    is_chosen=True,
)
CONNECTIONS = Trace(
    "connections",
    _find_connections,
    _remove_connections,
    _restore_connections,
    _connection_words,
    kinds=(CONNECTION,),
    is_chosen=True,
)
TOOLS = Trace(
    "tools",
    _find_tools,
    _remove_tools,
    _restore_tools,
    _tool_words,
    kinds=(TOOL,),
    is_chosen=True,
)
FILES = Trace(
    "files",
    _find_files,
    restore=_restore_files,
    words=_note_words,
    remove_outside=_remove_files,
    kinds=(FILE,),
    names=_named_files,
    is_chosen=True,
)
