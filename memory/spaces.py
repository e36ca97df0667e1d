"""Which space of vectors is searched, what another still lacks, and going over to it."""

from dataclasses import dataclass

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.driver import columns, instance, run
from memory.errors import SpaceBusy, SpaceInUse
from memory.models import Chunk, EmbeddingSpace, OwnerIndex

State = EmbeddingSpace.State

CURRENT = (
    f"select {columns(EmbeddingSpace, 'space')} from memory_embeddingspace space where state = %s"  # noqa: S608 - names of our own columns
)
COUNT = """
select count(*), coalesce(sum(tokens), 0) from (
  select tokens from memory_chunk chunk where chunk.embedding_state <> 'dropped' and not exists (
    select from memory_embedding found
    where found.owner_id = chunk.owner_id and found.space_id = %(space)s
      and found.document = chunk.number
  ) limit %(most)s
) lacking"""
# A scalar and no EXISTS: as a join it would read and sort all vectors for each batch.
NEXT = """
select chunk.id, chunk.owner_id, chunk.number, chunk.text, chunk.speaker, chunk.occurred_at
from memory_chunk chunk
where chunk.embedding_state <> 'dropped'
  and (chunk.owner_id, chunk.number) > (%(owner)s, %(number)s)
  and (
    select found.document from memory_embedding found
    where found.owner_id = chunk.owner_id and found.space_id = %(space)s
      and found.document = chunk.number limit 1
  ) is null
order by chunk.owner_id, chunk.number limit %(limit)s
"""
# A chunk is embedded when the current space has its vector; what failed in both stays failed.
SETTLE = """
update memory_chunk chunk
set embedding_state = case when embedding_state = 'done' then 'pending' else 'done' end,
    embedding_attempts = 0
where chunk.embedding_state <> 'dropped' and (chunk.embedding_state = 'done') <> exists (
  select from memory_embedding found
  where found.owner_id = chunk.owner_id and found.space_id = %(space)s
    and found.document = chunk.number
)"""
STRAY = """
delete from memory_embedding found where found.space_id = %(space)s and not exists (
  select from memory_chunk chunk
  where chunk.owner_id = found.owner_id and chunk.number = found.document
    and chunk.embedding_state <> 'dropped'
)"""

Place = tuple[int, int]
START: Place = (0, 0)


@dataclass(frozen=True, slots=True)
class Lack:
    """What a space has no vectors of."""

    texts: int
    tokens: int


def find_current() -> EmbeddingSpace | None:
    """Return the space that is searched, or None before the first vector; for every question."""
    rows = run(CURRENT, (State.CURRENT.value,))
    return instance(EmbeddingSpace, rows[0]) if rows else None


def current_for(*, model: str, version: str, dimension: int) -> EmbeddingSpace | None:
    """Return the current space, held until the caller's transaction ends; None if another model's.

    The first model of an installation makes it.
    """
    space = EmbeddingSpace.objects.current() or _first(model, version, dimension)
    is_mine = (space.model, space.version, space.dimension) == (model, version, dimension)
    return space if is_mine and hold(space) == State.CURRENT else None


def hold(space: EmbeddingSpace) -> str:
    """Keep a space as it is until the caller's transaction ends; return its state, empty if gone."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select state from memory_embeddingspace where id = %s for share", (space.pk,)
        )
        row: tuple[str] | None = cursor.fetchone()
    return row[0] if row else ""


@transaction.atomic
def begin_space(*, model: str, version: str, dimension: int) -> EmbeddingSpace:
    """Return the space to fill, making it if there is none; a retired one is taken up again.

    Raises SpaceBusy while another is being built, SpaceInUse if it is current or being dropped.
    """
    other = EmbeddingSpace.objects.building()
    if other and (other.model, other.version, other.dimension) != (model, version, dimension):
        raise SpaceBusy(f"{other} is being built")
    try:
        # Of two who begin at once one makes it, and both fill it.
        space, is_new = EmbeddingSpace.objects.get_or_create(
            model=model, version=version, dimension=dimension
        )
    except IntegrityError as error:
        raise SpaceBusy("another space is being built") from error
    if is_new:
        return space
    if space.state in {State.CURRENT, State.DROPPING}:
        raise SpaceInUse(f"{space} is {space.state}")
    if space.state == State.RETIRED:
        _enter(space, State.BUILDING)
    return space


def lack_of(space: EmbeddingSpace | None, *, most: int | None = None) -> Lack:
    """Return what a space lacks, counted up to `most`; without one, what a new one would."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT, {"space": space.pk if space else 0, "most": most})
        texts, tokens = cursor.fetchone()
    return Lack(texts, int(tokens))


def next_lacking(space: EmbeddingSpace, *, after: Place, limit: int) -> list[Chunk]:
    """Return the next chunks, in the order of owner and number, that have no vector in a space."""
    values = {"space": space.pk, "owner": after[0], "number": after[1], "limit": limit}
    return list(Chunk.objects.raw(NEXT, values))


@transaction.atomic
def switch(space: EmbeddingSpace) -> int:
    """Make a space current and retire the one before; return how many chunks wait for a vector now.

    Searches go on meanwhile. Raises SpaceInUse unless it is built or retired.
    """
    # In the order of the ids: two switches at once take their turns.
    rows = {row.pk: row for row in EmbeddingSpace.objects.select_for_update().order_by("pk")}
    chosen = rows.get(space.pk)
    if chosen is None or chosen.state not in {State.BUILDING, State.RETIRED}:
        raise SpaceInUse(f"{space} is {chosen.state if chosen else 'gone'}")
    for row in rows.values():
        if row.state == State.CURRENT:
            _enter(row, State.RETIRED)
    _enter(chosen, State.CURRENT)
    with connection.cursor() as cursor:
        cursor.execute(STRAY, {"space": space.pk})
        cursor.execute(SETTLE, {"space": space.pk})
    return Chunk.objects.waiting_for_a_vector().count()


@transaction.atomic
def give_up(space: EmbeddingSpace) -> None:
    """Let nobody write to a space any more, nor go back to it. Raises SpaceInUse if it is current."""
    row = EmbeddingSpace.objects.select_for_update().get(pk=space.pk)
    if row.state == State.CURRENT:
        raise SpaceInUse(f"{row} is current")
    _enter(row, State.DROPPING)


def clear(space: EmbeddingSpace) -> int:
    """Delete the vectors of a space that was given up, owner by owner, then the space itself."""
    deleted = 0
    with connection.cursor() as cursor:
        for owner in OwnerIndex.objects.order_by("pk").values_list("pk", flat=True):
            cursor.execute(
                "delete from memory_embedding where owner_id = %s and space_id = %s",
                (owner, space.pk),
            )
            deleted += cursor.rowcount
    EmbeddingSpace.objects.filter(pk=space.pk, state=State.DROPPING).delete()
    return deleted


def _first(model: str, version: str, dimension: int) -> EmbeddingSpace:
    space, _ = EmbeddingSpace.objects.get_or_create(
        model=model, version=version, dimension=dimension, defaults={"state": State.CURRENT}
    )
    if space.state != State.CURRENT:
        _enter(space, State.CURRENT)
    return space


def _enter(space: EmbeddingSpace, state: str) -> None:
    space.state, space.state_since = state, timezone.now()
    space.save(update_fields=["state", "state_since"])
