"""What the stores that are written on purpose answer, and the tools."""

from accounts.models import Connection
from api.v1.answers.fields import (
    answer,
    anything,
    flag,
    maybe,
    maybe_moment,
    maybe_number,
    maybe_real,
    maybe_uuid,
    moment,
    number,
    objects,
    optional,
    page,
    real,
    results,
    row,
    text,
    texts,
    uuid,
    uuids,
)

DOCUMENT = {
    "id": uuid(),
    "key": maybe(),
    "version": number(),
    "language": text(),
    "tokens": number(),
    "created_at": moment(),
    "updated_at": moment(),
    "embedding_state": text(),
}
Document = answer(
    "Document", "A document of the agent's own.", **DOCUMENT, content=text(), metadata=anything()
)
DocumentRow = answer(
    "DocumentRow",
    "A document in a list; with `contents=yes` whole.",
    **DOCUMENT,
    content=optional(text()),
    metadata=optional(anything()),
)
DocumentPage = page("DocumentPage", DocumentRow)
NOTE = {
    "number": number(),
    "name": text(),
    "aliases": texts(),
    "kind": text(),
    "version": number(),
    "created_at": moment(),
    "updated_at": moment(),
}
Note = answer("Note", "A note, or the archive that compaction left.", **NOTE, content=text())
NoteRow = answer("NoteRow", "A note in a list, without its content.", **NOTE)
NotePage = answer("NotePage", "A page of a list.", results=NoteRow(many=True), next=maybe_number())
NoteHit = answer("NoteHit", "A note that a search found.", **NOTE, content=text(), score=real())
NoteHits = results("NoteHits", NoteHit)
File = answer("WorkspaceFile", "A file.", name=text(), content=text())
WrittenFile = answer(
    "WrittenFile", "A file as it was written.", name=text(), content=text(), is_changed=flag()
)
FileRow = answer(
    "WorkspaceFileRow",
    "A file in a list.",
    name=text(),
    size=number(),
    changed_at=maybe_moment(),
    is_writable=flag(),
)
Files = results("WorkspaceFiles", FileRow)
FileHit = answer(
    "WorkspaceHit", "A file that a search found.", file=text(), snippet=text(), score=real()
)
FileHits = results("WorkspaceHits", FileHit)
FileVersion = answer(
    "FileVersion", "An earlier text.", number=number(), size=number(), replaced_at=moment()
)
FileVersions = answer(
    "FileVersions",
    "A file's earlier texts; with `number` the one that is asked for.",
    results=FileVersion(many=True, required=False),
    name=optional(text()),
    number=optional(number()),
    content=optional(text()),
)
SAVED = {
    "id": uuid(),
    "key": text(),
    "value": text(),
    "category": text(),
    "source": text(),
    "source_session": maybe_uuid(),
    "source_event": text(),
    "confidence": real(),
    "access_count": number(),
    "last_accessed_at": maybe_moment(),
    "decay_score": real(),
    "created_at": moment(),
    "updated_at": moment(),
}
SavedFact = answer("SavedFact", "A value under a key.", **SAVED)
SavedFactPage = page("SavedFactPage", SavedFact)
SavedFactHit = answer(
    "SavedFactHit",
    "A saved fact that was found.",
    **SAVED,
    score=real(),
    vector=real(),
    keyword=real(),
)
SavedFactHits = results("SavedFactHits", SavedFactHit, searched_by=text(), degraded=maybe())
ContextDocument = answer(
    "ContextDocument",
    "A text of a user, found by what it means.",
    id=uuid(),
    content=text(),
    metadata=anything(),
    embedding_state=text(),
    created_at=moment(),
)
ContextDocumentPage = page("ContextDocumentPage", ContextDocument)
ContextIds = answer("ContextDocumentIds", "The documents that a text is kept as.", ids=uuids())
ContextId = answer("ContextDocumentId", "The document that took the place.", id=uuid())
ContextHit = answer(
    "ContextDocumentHit",
    "A document found; `distance` is null for one found by its words.",
    id=uuid(),
    content=text(),
    metadata=anything(),
    distance=maybe_real(),
)
ContextHits = results("ContextDocumentHits", ContextHit, searched_by=text(), degraded=maybe())
Connected = row(
    "Connection",
    "A user's link to a tool.",
    Connection,
    ("tool", "name", "is_active", "refresh", "schema_url", "version", "created_at", "updated_at"),
    persistent_learned_info=anything(),
)
ConnectionPage = page("ConnectionPage", Connected)
ToolContext = answer(
    "ToolContext",
    "What a tool says of itself; `degraded` is empty while it counts.",
    data=anything(),
    fetched_at=maybe_moment(),
    expires_at=maybe_moment(),
    degraded=text(),
)
Tools = answer("Tools", "Tools in the form that was asked for.", tools=objects())
ToolAnswer = answer(
    "ToolAnswer", "What a tool answers: each has fields of its own; see docs/tools.md."
)
