"""The vectors of documents."""

from collections.abc import Sequence

from django.db.models import F
from pgvector import HalfVector
from psycopg import Cursor

from knowledge.models import KnowledgeDocument
from memory.models import EmbeddingSpace
from memory.vectors import POISON_ATTEMPTS, Vector, driver

# Only what still stands as it was embedded: one that was changed or deleted meanwhile gets none.
STORE = """
with stored as (
  insert into knowledge_knowledgeembedding (owner_id, space_id, document, embedding)
  select owner_id, %(space)s, number, %(vector)s from knowledge_knowledgedocument
  where id = %(document)s and version = %(version)s and embedding_state = 'pending'
  for update
  on conflict (owner_id, space_id, document) do update set embedding = excluded.embedding
  returning document
)
update knowledge_knowledgedocument set embedding_state = 'done'
where id = %(document)s and exists (select from stored)
"""

Found = Sequence[tuple[KnowledgeDocument, Vector | None]]


def store_document_vectors(*, space: EmbeddingSpace, found: Found) -> None:
    """Write the vectors of documents that still wait, in the caller's transaction.

    None is a text that gave no usable vector: after three tries it is left to the words.
    """
    bad = [document.pk for document, vector in found if vector is None]
    with Cursor(driver()) as cursor:
        cursor.executemany(STORE, rows(space, found))
    waiting = KnowledgeDocument.objects.waiting_for_a_vector().filter(pk__in=bad)
    waiting.update(embedding_attempts=F("embedding_attempts") + 1)
    waiting.filter(embedding_attempts__gte=POISON_ATTEMPTS).update(embedding_state="failed")


def rows(space: EmbeddingSpace, found: Found) -> list[dict[str, object]]:
    """Return the parameters of a statement that stores one vector of one version."""
    return [
        {
            "space": space.pk,
            "document": document.pk,
            "version": document.version,
            "vector": HalfVector(vector),
        }
        for document, vector in found
        if vector is not None
    ]
