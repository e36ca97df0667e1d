"""Spaces, and the vectors of chunks in them."""

from collections.abc import Sequence

import numpy as np
from django.db.models import F
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import Connection, Cursor

from accounts.driver import raw as below_django
from memory.models import Chunk, EmbeddingSpace

# A b-tree entry holds 2,704 bytes: longer vectors are found by their signs, then ranked exactly.
LONGEST_IN_INDEX = 1_300
POISON_ATTEMPTS = 3
# Only what still waits is written: a chunk that was erased meanwhile gets no vector. Its row is
# locked: who takes its vectors away waits, and takes this one as well.
STORE = """
insert into memory_embedding (owner_id, space_id, document, embedding, bits)
select chunk.owner_id, %(space)s, chunk.number, %(vector)s,
       case when %(long)s then binary_quantize(%(vector)s)::bit varying end
from memory_chunk chunk where chunk.id = %(chunk)s and chunk.embedding_state = 'pending'
for no key update
on conflict (owner_id, space_id, document) do update
set embedding = excluded.embedding, bits = excluded.bits
"""

Vector = NDArray[np.float32]


def driver() -> Connection:
    """Return the driver's connection below Django's, which knows the vector types."""
    raw = below_django()
    if getattr(raw, "knows_vectors", False):
        return raw
    register_vector(raw)
    raw.knows_vectors = True  # type: ignore[attr-defined]  # noted on the connection it is true of
    return raw


def space_of(*, model: str, version: str, dimension: int) -> EmbeddingSpace:
    """Return the space of a model, making it on first sight."""
    space, _ = EmbeddingSpace.objects.get_or_create(
        model=model, version=version, dimension=dimension
    )
    return space


def store_vectors(*, space: EmbeddingSpace, found: Sequence[tuple[Chunk, Vector | None]]) -> None:
    """Write the vectors of chunks that still wait, in the caller's transaction.

    None is a text that gave no usable vector: after three tries it is left to the words.
    """
    good = [(chunk, vector) for chunk, vector in found if vector is not None]
    bad = [chunk.pk for chunk, vector in found if vector is None]
    with Cursor(driver()) as cursor:
        cursor.executemany(
            STORE,
            [
                {
                    "space": space.pk,
                    "chunk": chunk.pk,
                    "vector": HalfVector(vector),
                    "long": space.dimension > LONGEST_IN_INDEX,
                }
                for chunk, vector in good
            ],
        )
    waiting = Chunk.objects.waiting_for_a_vector()
    waiting.filter(pk__in=[chunk.pk for chunk, _ in good]).update(embedding_state="done")
    waiting.filter(pk__in=bad).update(embedding_attempts=F("embedding_attempts") + 1)
    waiting.filter(pk__in=bad, embedding_attempts__gte=POISON_ATTEMPTS).update(
        embedding_state="failed"
    )
