"""Write and delete documents. Only what a person or an agent does on purpose comes here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from accounts.models import Owner
from knowledge.errors import DocumentChanged, DocumentUnfit, DocumentUnknown, DocumentUnnamed
from knowledge.models import KnowledgeDocument, KnowledgeEmbedding, KnowledgeIndex
from memory.budget import estimate
from memory.models.document import Unit
from memory.postings import count_terms, post, unpost
from ranking.languages import detect

KEY_CHARACTERS = 200
# Found as one and handed back whole: what is longer would fill the prompt that asked for it.
CONTENT_BYTES = 65_536
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Metadata = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Put:
    """A document as it stands now. `is_changed` is false when it stood so before."""

    document: KnowledgeDocument
    is_new: bool
    is_changed: bool


def index_text(document: KnowledgeDocument) -> str:
    """Return the text a document is indexed and embedded as: its key before its words."""
    return f"{document.key}\n{document.content}" if document.key else document.content


def put_document(
    *,
    owner: Owner,
    content: str,
    key: str | None = None,
    metadata: Metadata | None = None,
    language: str,
    expected: int | None = None,
) -> Put:
    """Insert a document, or replace the content of the one with this key.

    `language` counts where the text does not show its own. `metadata` None keeps what there is.
    Each change gives the next version; only a changed content is indexed and embedded anew.
    `expected` is the version that the caller has seen, 0 for none, None for any. Raises
    DocumentUnfit, or DocumentChanged.
    """
    _check(key, content)
    with transaction.atomic():
        index = _lock(owner)
        found = _of_key(owner, key)
        _check_version(found, expected)
        if found is None:
            return Put(_insert(index, key, content, metadata or {}, language), True, True)
        wanted = found.metadata if metadata is None else dict(metadata)
        if found.content == content and found.metadata == wanted:
            return Put(found, False, False)
        if found.content != content:
            _reindex(index, found, content, language)
        found.metadata = wanted
        found.version += 1
        found.save()
    return Put(found, False, True)


def delete_document(
    *,
    owner: Owner | None,
    key: str | None = None,
    id: UUID | None = None,
    expected: int | None = None,
) -> KnowledgeDocument:
    """Delete a document with all it is found by, and return what it was.

    Raises DocumentUnknown, DocumentUnnamed or DocumentChanged.
    """
    with transaction.atomic():
        if owner:
            index = _lock(owner)
        found = find_document(owner=owner, key=key, id=id)
        _check_version(found, expected)
        index.terms -= unpost(found.owner_id, Unit.KNOWLEDGE, [found.number])
        index.documents -= 1
        index.save()
        KnowledgeDocument.objects.filter(pk=found.pk).delete()
        _drop_vectors(found)
    return found


def find_document(
    *,
    owner: Owner | None,
    key: str | None = None,
    id: UUID | None = None,
) -> KnowledgeDocument:
    """Return the document with this key, or with this id. Raises DocumentUnknown.

    An owner of None has no documents. Raises DocumentUnnamed when neither is given.
    """
    if key is None and id is None:
        raise DocumentUnnamed("neither a key nor an id was given")
    mine = KnowledgeDocument.objects.filter(owner=owner).defer("tsv")
    if key is not None:
        mine = mine.filter(key=key) if is_key(key) else mine.none()
    if id is not None:
        mine = mine.filter(pk=id)
    found = mine.first() if owner else None
    if found is None:
        raise DocumentUnknown("no such document")
    return found


def find_named(*, owner: Owner | None, name: str) -> KnowledgeDocument:
    """Return the document with this key, else the one with this id. Raises DocumentUnknown."""
    try:
        return find_document(owner=owner, key=name)
    except DocumentUnknown:
        if not ID.fullmatch(name):
            raise
    return find_document(owner=owner, id=UUID(name))


def is_key(text: str) -> bool:
    """Say whether a text can be a key: 1 to 200 characters that show, no space at its ends."""
    return 0 < len(text) <= KEY_CHARACTERS and text.isprintable() and text == text.strip()


def _lock(owner: Owner) -> KnowledgeIndex:
    """Return the row under whose lock an owner's documents change."""
    KnowledgeIndex.objects.bulk_create([KnowledgeIndex(owner=owner)], ignore_conflicts=True)
    return KnowledgeIndex.objects.select_for_update().get(owner=owner)


def _of_key(owner: Owner, key: str | None) -> KnowledgeDocument | None:
    if key is None:
        return None
    # Locked: a vector that is being written for the old content waits, and is then refused.
    mine = KnowledgeDocument.objects.select_for_update().defer("tsv")
    return mine.filter(owner=owner, key=key).first()


def _insert(
    index: KnowledgeIndex, key: str | None, content: str, metadata: Metadata, language: str
) -> KnowledgeDocument:
    index.number += 1
    index.documents += 1
    found = KnowledgeDocument(
        owner_id=index.owner_id,
        number=index.number,
        key=key,
        content=content,
        metadata=dict(metadata),
        language=detect(content, language),
        tokens=estimate(content),
    )
    found.save(force_insert=True)
    _post(index, found)
    return found


def _reindex(index: KnowledgeIndex, found: KnowledgeDocument, content: str, language: str) -> None:
    """Give a document another content, unsaved, and other words."""
    index.terms -= unpost(index.owner_id, Unit.KNOWLEDGE, [found.number])
    found.content, found.tokens = content, estimate(content)
    found.language = detect(content, language)
    found.embedding_state = KnowledgeDocument.EmbeddingState.PENDING
    found.embedding_attempts = 0
    _post(index, found)
    _drop_vectors(found)


def _post(index: KnowledgeIndex, found: KnowledgeDocument) -> None:
    terms = count_terms(index_text(found), found.language)
    post(index.owner_id, Unit.KNOWLEDGE, [(found.number, terms)])
    index.terms += terms.total()
    index.save()


def _drop_vectors(found: KnowledgeDocument) -> None:
    mine = KnowledgeEmbedding.objects.filter(owner_id=found.owner_id, document=found.number)
    mine.delete()


def _check(key: str | None, content: str) -> None:
    if key is not None and not is_key(key):
        raise DocumentUnfit("the key is not one of 1 to 200 visible characters")
    if not content.strip() or "\x00" in content:
        raise DocumentUnfit("the content is empty, or holds NUL")
    if len(content.encode(errors="replace")) > CONTENT_BYTES:
        raise DocumentUnfit(f"the content is longer than {CONTENT_BYTES} bytes")


def _check_version(found: KnowledgeDocument | None, expected: int | None) -> None:
    version = found.version if found else 0
    if expected is not None and version != expected:
        raise DocumentChanged(
            f"the document is in version {version}, not {expected}", detail={"version": version}
        )
