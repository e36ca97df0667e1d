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

# What another process is just writing to is left for later: its chunk may be about to vanish.
HELD = """
select id from memory_chunk where id = any(%s) and embedding_state <> 'dropped'
order by id for share skip locked
"""
ADD = """
insert into memory_embedding (owner_id, space_id, document, embedding, bits)
select chunk.owner_id, %(space)s, chunk.number, %(vector)s,
       case when %(long)s then binary_quantize(%(vector)s)::bit varying end
from memory_chunk chunk where chunk.id = %(chunk)s
on conflict do nothing
"""

Vector = NDArray[np.float32]
Found = Sequence[tuple[Chunk, Vector | None]]


def driver() -> Connection:
    """Return the driver's connection below Django's, which knows the vector types."""
    raw = below_django()
    if getattr(raw, "knows_vectors", False):
        return raw
    register_vector(raw)
    raw.knows_vectors = True  # type: ignore[attr-defined]  # noted on the connection it is true of
    return raw


def store_vectors(*, space: EmbeddingSpace, found: Found) -> None:
    """Write the vectors of chunks that still wait to the current space, in the caller's transaction.

    None is a text that gave no usable vector: after three tries it is left to the words.
    """
    good = [chunk.pk for chunk, vector in found if vector is not None]
    bad = [chunk.pk for chunk, vector in found if vector is None]
    with Cursor(driver()) as cursor:
        cursor.executemany(STORE, _rows(space, found))
    waiting = Chunk.objects.waiting_for_a_vector()
    waiting.filter(pk__in=good).update(embedding_state="done")
    waiting.filter(pk__in=bad).update(embedding_attempts=F("embedding_attempts") + 1)
    waiting.filter(pk__in=bad, embedding_attempts__gte=POISON_ATTEMPTS).update(
        embedding_state="failed"
    )


def add_vectors(*, space: EmbeddingSpace, found: Found) -> int:
    """Write vectors to a space that is not searched, in the caller's transaction; return how many.

    The chunks stay as they are: they are embedded when the current space has their vector.
    """
    with Cursor(driver()) as cursor:
        cursor.execute(HELD, ([chunk.pk for chunk, _ in found],))
        held = {row[0] for row in cursor.fetchall()}
        mine = [(chunk, vector) for chunk, vector in found if chunk.pk in held]
        cursor.executemany(ADD, _rows(space, mine))
        return max(cursor.rowcount, 0)


def _rows(space: EmbeddingSpace, found: Found) -> list[dict[str, object]]:
    return [
        {
            "space": space.pk,
            "chunk": chunk.pk,
            "vector": HalfVector(vector),
            "long": space.dimension > LONGEST_IN_INDEX,
        }
        for chunk, vector in found
        if vector is not None
    ]
