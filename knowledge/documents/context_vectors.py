"""The vectors of V, each in its document's row: of one space, the current one or one before it."""

from collections.abc import Sequence

from django.db import connection
from django.db.models import F, Q, Sum
from django.db.models.functions import Length
from pgvector import HalfVector
from psycopg import Cursor

from knowledge.models import ContextDocument
from memory.models import EmbeddingSpace
from memory.spaces import Lack
from memory.vectors import POISON_ATTEMPTS, Vector, driver

State = ContextDocument.EmbeddingState
CHARACTERS_A_TOKEN = 4
# Only what still waits: a document that was deleted meanwhile gets no vector.
STORE = """
update toolstream_context
set embedding = %(vector)s, space_id = %(space)s, embedding_state = 'done', embedding_attempts = 0
where id = %(document)s and embedding_state = 'pending'
"""
# What failed in one space may succeed in another.
SETTLE = """
update toolstream_context
set embedding_state = 'pending', embedding_attempts = 0
where embedding_state <> 'pending' and space_id is distinct from %s
"""

Found = Sequence[tuple[ContextDocument, Vector | None]]


def store_context_vectors(*, space: EmbeddingSpace, found: Found) -> None:
    """Write the vectors of documents that still wait, in the caller's transaction.

    None is a text that gave no usable vector: after three tries it is left to the words.
    """
    with Cursor(driver()) as cursor:
        cursor.executemany(
            STORE,
            [
                {"space": space.pk, "document": document.pk, "vector": HalfVector(vector)}
                for document, vector in found
                if vector is not None
            ],
        )
    bad = [document.pk for document, vector in found if vector is None]
    waiting = ContextDocument.objects.pending().filter(pk__in=bad)
    waiting.update(embedding_attempts=F("embedding_attempts") + 1)
    spent = waiting.filter(embedding_attempts__gte=POISON_ATTEMPTS)
    spent.update(embedding_state=State.FAILED, embedding=None, space=space)


def settle_context(space: EmbeddingSpace) -> int:
    """Let all that is not of a space wait for its vector of it; return how many wait."""
    with connection.cursor() as cursor:
        cursor.execute(SETTLE, (space.pk,))
    return ContextDocument.objects.pending().count()


def lack_of_context(space: EmbeddingSpace | None) -> Lack:
    """Return what a space lacks of V; without one, what a new one would. Tokens are an estimate."""
    rows = ContextDocument.objects.all()
    if space is not None:
        rows = rows.filter(Q(space=None) | ~Q(space=space))
    found = rows.aggregate(characters=Sum(Length("content")))
    return Lack(rows.count(), (found["characters"] or 0) // CHARACTERS_A_TOKEN)
