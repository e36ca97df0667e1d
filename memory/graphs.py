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
select owner_id from memory_embedding
where owner_id = any(%s) and space_id = %s group by owner_id having count(*) > %s
order by count(*) desc limit %s
"""
# One that an earlier try left invalid does not count.
FOUND = """
select class.relname, substring(class.relname from 'memory_graph_([0-9]+)_')::int
from pg_index index join pg_class class on class.oid = index.indexrelid
where index.indrelid = 'memory_embedding'::regclass and class.relname ~ %s
  and (index.indisvalid or not %s)
"""


def grow() -> int:
    """Give a graph in the current space to each large owner that has none; return how many."""
    space = EmbeddingSpace.objects.current()
    if space is None:
        return 0
    built = build(space)
    with_graph = OwnerIndex.objects.filter(owner_id__in=_graphs(space).values())
    with_graph.exclude(graph_space=space.pk).update(graph_space=space.pk)
    return built


def build(space: EmbeddingSpace) -> int:
    """Build the graphs that large owners lack in a space, used or not; return how many.

    Must run outside a transaction. An index that an earlier try left invalid is built anew.
    """
    have = set(_graphs(space).values())
    large = OwnerIndex.objects.filter(chunks__gt=settings.GRAPH_ROWS).exclude(owner_id__in=have)
    room = MOST_GRAPHS - len(have)
    if room <= 0:
        return 0
    owners = list(large.values_list("owner_id", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(COUNT, (owners, space.pk, settings.GRAPH_ROWS, room))
        found = [row[0] for row in cursor.fetchall()]
    for owner in found:
        _build(owner, space)
    return len(found)


def drop(space: EmbeddingSpace) -> None:
    """Drop every graph of a space. Must run outside a transaction."""
    for name in _graphs(space, valid=False):
        with connection.cursor() as cursor:
            cursor.execute(f"drop index concurrently if exists {name}")


def _graphs(space: EmbeddingSpace, *, valid: bool = True) -> dict[str, int]:
    """Return the names of a space's graphs, and whose they are."""
    with connection.cursor() as cursor:
        cursor.execute(FOUND, (f"^memory_graph_[0-9]+_{space.pk:d}$", valid))
        return dict(cursor.fetchall())


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
