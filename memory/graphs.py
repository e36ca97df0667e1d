"""A graph of their own for owners too large to be scanned in full.

A graph is a partial HNSW index on the one table: it is built beside running writes and dropped
without moving a row, where a partition would have to be filled under a lock.
"""

from django.conf import settings
from django.db import connection

from memory.models import EmbeddingSpace, OwnerIndex

# The planner weighs every partial index at each unprepared query: past this it would be felt.
MOST_GRAPHS = 200
COUNT = """
select owner_id, space_id from memory_embedding
where owner_id = any(%s) group by owner_id, space_id having count(*) > %s
order by count(*) desc limit %s
"""


def grow() -> int:
    """Give a graph to each large owner that has none; return how many were built.

    Must run outside a transaction. An index that an earlier try left invalid is built anew.
    """
    large = OwnerIndex.objects.filter(chunks__gt=settings.GRAPH_ROWS, graph_space=None)
    room = MOST_GRAPHS - OwnerIndex.objects.exclude(graph_space=None).count()
    if room <= 0:
        return 0
    owners = list(large.values_list("owner_id", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(COUNT, (owners, settings.GRAPH_ROWS, room))
        found = list(cursor.fetchall())
    for owner, space in found:
        _build(owner, EmbeddingSpace.objects.get(pk=space))
        OwnerIndex.objects.filter(owner_id=owner).update(graph_space=space)
    return len(found)


def _build(owner: int, space: EmbeddingSpace) -> None:
    name = f"memory_graph_{owner:d}_{space.pk:d}"
    kind = f"halfvec({space.dimension:d})"
    with connection.cursor() as cursor:
        cursor.execute(f"drop index concurrently if exists {name}")
        cursor.execute(
            f"create index concurrently {name} on memory_embedding "
            f"using hnsw ((embedding::{kind}) halfvec_cosine_ops) with (m = 16, ef_construction = 64) "
            f"where owner_id = {owner:d} and space_id = {space.pk:d}"
        )
