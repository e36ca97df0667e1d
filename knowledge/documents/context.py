"""V: texts with their metadata, each kept once under an id that both of them make."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from uuid import UUID, uuid5

from accounts.errors import OwnerMissing
from accounts.models import Connection, Owner
from knowledge.documents.items import forget_changes
from knowledge.errors import ConnectionUnknown, ContextUnfit, DocumentUnknown
from knowledge.items.tombstones import bury, digests
from knowledge.models import ChangeItem, ContextDocument, Tombstone
from knowledge.sensitivity import is_sensitive
from memory.hashing import canonical
from ranking.passages import passages

# Made once, for all installations: the same text of the same person has one id for ever.
NAMESPACE = UUID("6f1d1f5c-3b0e-5d0b-9d43-0b7a2f6b1c55")
# Found and handed to a model whole: what is longer is cut into passages first.
CONTENT_BYTES = 65_536
KIND = ChangeItem.Kind.DOCUMENT


@dataclass(frozen=True, slots=True)
class DocumentMetadata:
    """What a document is of. `user_id` is a person, or the thread or the agent in their place.

    Raises OwnerMissing without a user: no document is everybody's.
    """

    context_type: str
    user_id: str
    source: str
    org_id: UUID | None = None
    tool_id: str = ""
    connection_id: UUID | None = None
    message_id: str = ""
    attachment_id: str = ""
    filename: str = ""

    def __post_init__(self) -> None:
        if not self.user_id:
            raise OwnerMissing("a document needs the user whose it is")

    @property
    def said(self) -> dict[str, str]:
        """Return the fields that are set, as text."""
        return {name: str(value) for name, value in asdict(self).items() if value}


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A text to keep. `events` are the observations that it was learned from."""

    content: str
    context_type: str = ContextDocument.ContextType.USER_PERSISTENT
    source: str = ContextDocument.Source.SYSTEM_LEARNED
    tool_id: str = ""
    connection: UUID | None = None
    message_id: str = ""
    attachment_id: str = ""
    filename: str = ""
    events: tuple[str, ...] = ()
    is_sensitive: bool = False


def document_id(content: str, metadata: DocumentMetadata, *, agent: UUID | None = None) -> UUID:
    """Return the UUID5 of a text and its metadata, as one agent keeps it; no time is part of it."""
    namespace = uuid5(NAMESPACE, str(agent)) if agent else NAMESPACE
    return uuid5(namespace, f"{content}\n{canonical(metadata.said).decode()}")


def metadata_of(owner: Owner, document: NewDocument) -> DocumentMetadata:
    """Return the metadata under which an owner's document is kept."""
    organization: UUID = owner.agent.organization_id
    return DocumentMetadata(
        context_type=document.context_type,
        user_id=user_id_of(owner),
        source=document.source,
        org_id=organization,
        tool_id=document.tool_id,
        connection_id=document.connection,
        message_id=document.message_id,
        attachment_id=document.attachment_id,
        filename=document.filename,
    )


def metadata_of_row(row: ContextDocument) -> DocumentMetadata:
    """Return the metadata of a document that is kept; its owner must be loaded."""
    return DocumentMetadata(
        context_type=row.context_type,
        user_id=user_id_of(row.owner),
        source=row.source,
        org_id=row.org_id,
        tool_id=row.tool_id,
        connection_id=row.connection_id,
        message_id=row.message_id,
        attachment_id=row.attachment_id,
        filename=row.filename,
    )


def cut(document: NewDocument) -> list[NewDocument]:
    """Return the documents that a text is kept as: of an attachment its passages, else itself.

    A long text has one vector for all that it says; a passage has one for what it is about.
    """
    if document.context_type != ContextDocument.ContextType.TOOL_ATTACHMENT_CONTENT:
        return [document]
    return [replace(document, content=passage) for passage in passages(document.content)]


def user_id_of(owner: Owner) -> str:
    """Return the person, or what stands for one in a name that no person has."""
    return str(owner.user_id) if owner.user_id else f"{owner.kind}:{owner.key}"


def put_documents(*, owner: Owner | None, documents: Sequence[NewDocument]) -> list[UUID]:
    """Keep documents, in the caller's transaction; return their ids, in order.

    What is there already stays as it is. What the person had deleted is not kept again, and has
    no id in the answer. New ones wait for a vector. Raises OwnerMissing, ContextUnfit, or
    ConnectionUnknown.
    """
    if owner is None:
        raise OwnerMissing("a document needs the user whose it is")
    for document in documents:
        _check(document)
    _check_connections(owner, documents)
    rows = {row.pk: row for row in (_row(owner, document) for document in documents)}
    ContextDocument.objects.bulk_create(rows.values(), ignore_conflicts=True)
    # Only now: a deletion at the same time has held up the insertion until its tombstones stand.
    gone = _deleted(owner, rows.values())
    if gone:
        ContextDocument.objects.filter(owner=owner, pk__in=gone).delete()
    return [id for id in rows if id not in gone]


def forget_document(*, owner: Owner | None, id: UUID) -> ContextDocument:
    """Delete a document for good, in the caller's transaction: its text is not kept again.

    The same text under other metadata goes as well, and what it had taken the place
    of. No change keeps a word of it. Raises DocumentUnknown.
    """
    if owner is None:
        raise DocumentUnknown("no such document")
    # Whoever is just keeping something of this owner's is waited for, and waits.
    Owner.objects.select_for_update().get(pk=owner.pk)
    mine = ContextDocument.objects.filter(owner=owner)
    found = mine.filter(pk=id).first()
    if found is None:
        raise DocumentUnknown("no such document")
    bury(owner=owner, kind=KIND, fields={"content": found.content})
    same = mine.filter(content=found.content)
    forget_changes(owner=owner, documents=list(same.values_list("pk", flat=True)))
    same.delete()
    return found


def _row(owner: Owner, document: NewDocument) -> ContextDocument:
    metadata = metadata_of(owner, document)
    return ContextDocument(
        id=document_id(document.content, metadata, agent=owner.agent_id),
        owner=owner,
        content=document.content,
        context_type=metadata.context_type,
        source=metadata.source,
        org_id=metadata.org_id,
        tool_id=metadata.tool_id,
        connection_id=metadata.connection_id,
        message_id=metadata.message_id,
        attachment_id=metadata.attachment_id,
        filename=metadata.filename,
        events=list(document.events),
        is_sensitive=document.is_sensitive or is_sensitive(document.content),
    )


def _check(document: NewDocument) -> None:
    if not document.content.strip() or "\x00" in document.content:
        raise ContextUnfit("the content is empty, or holds NUL")
    if len(document.content.encode(errors="replace")) > CONTENT_BYTES:
        raise ContextUnfit(f"the content is longer than {CONTENT_BYTES} bytes")
    if document.context_type not in ContextDocument.ContextType.values:
        raise ContextUnfit(f"there is no context type {document.context_type}")
    if document.source not in ContextDocument.Source.values:
        raise ContextUnfit(f"there is no source {document.source}")


def _check_connections(owner: Owner, documents: Sequence[NewDocument]) -> None:
    named = {document.connection for document in documents if document.connection}
    mine = Connection.objects.filter(owner=owner, pk__in=named).values_list("pk", flat=True)
    if named and named - set(mine):
        raise ConnectionUnknown("no such connection")


def _deleted(owner: Owner, rows: Iterable[ContextDocument]) -> set[UUID]:
    """Return the ids of the rows whose text the person had deleted."""
    by_row = {row.pk: digests(owner, KIND, {"content": row.content}) for row in rows}
    known = Tombstone.objects.filter(
        owner=owner, kind=KIND, digest__in=frozenset().union(*by_row.values())
    )
    gone = {bytes(digest) for digest in known.values_list("digest", flat=True)}
    return {id for id, mine in by_row.items() if not gone.isdisjoint(mine)}
