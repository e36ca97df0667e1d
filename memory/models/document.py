"""The searchable pieces of ended sessions, and the two indexes they are found by.

`Posting`, `Term` and `Embedding` are index rows: their keys begin with the owner, so that the rows
of one owner lie together, and they name a chunk by its number within the owner. They carry no
foreign-key constraint, because one check per posting would cost more than the posting.
"""

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils import timezone
from pgvector.django import BitField, HalfVectorField

from accounts.ids import new_id
from accounts.models import Owner
from accounts.scope import Scope
from memory.models.session import Session
from memory.models.window import Lane


class ChunkQuerySet(models.QuerySet["Chunk"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def waiting_for_a_vector(self) -> Self:
        return self.filter(embedding_state=Chunk.EmbeddingState.PENDING)


class Chunk(models.Model):
    """A passage of one or more events, found as one.

    The chunks of an owner are numbered across sessions, and so are the blocks of events they are
    passages of; those of one session in one run, so that `block ± 1` is the neighbour. `muted_by`
    are the acts of forgetting that keep it from being found; None for none.
    """

    class Tier(models.TextChoices):
        MID_TERM = "mid_term"
        LONG_TERM_SUMMARY = "long_term_summary"
        LONG_TERM_DETAIL = "long_term_detail"

    class Kind(models.TextChoices):
        TOOL_SEQUENCE = "tool_sequence"
        SKILL_PHASE = "skill_phase"
        FIXED = "fixed"
        SUMMARY = "summary"

    class EmbeddingState(models.TextChoices):
        PENDING = "pending"
        DONE = "done"
        FAILED = "failed"
        DROPPED = "dropped"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    number = models.IntegerField()
    block = models.IntegerField()
    session = models.ForeignKey(Session, models.CASCADE, related_name="chunks")
    lane = models.CharField(max_length=4, choices=Lane)
    tier = models.CharField(max_length=17, choices=Tier, default=Tier.MID_TERM)
    kind = models.CharField(max_length=13, choices=Kind)
    first_seq = models.PositiveIntegerField()
    last_seq = models.PositiveIntegerField()
    passage = models.PositiveIntegerField(help_text="Which passage of these events, from 0.")
    speaker = models.CharField(max_length=100, blank=True)
    occurred_at = models.DateTimeField()
    text = models.TextField()
    language = models.CharField(max_length=20)
    tokens = models.PositiveIntegerField()
    embedding_state = models.CharField(
        max_length=7, choices=EmbeddingState, default=EmbeddingState.PENDING
    )
    embedding_attempts = models.PositiveSmallIntegerField(default=0)
    # The owner's lexeme makes the one GIN index an index per owner.
    tsv = models.GeneratedField(
        expression=models.Func(
            "owner_id",
            "text",
            function="memory_chunk_tsv",
        ),
        output_field=SearchVectorField(),
        db_persist=True,
    )
    created_at = models.DateTimeField(auto_now_add=True)
    muted_by = ArrayField(models.UUIDField(), null=True, blank=True)

    objects = ChunkQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("owner", "number"), name="chunk_number_once"),
            models.UniqueConstraint(
                fields=("session", "lane", "first_seq", "passage"), name="chunk_place_once"
            ),
        )
        indexes = (
            GinIndex(fields=("tsv",), name="chunk_tsv"),
            models.Index(
                fields=("owner",),
                condition=models.Q(embedding_state="pending"),
                name="chunk_waiting_for_a_vector",
            ),
        )

    def __str__(self) -> str:
        return f"{self.owner_id}/{self.number}"


class OwnerIndex(models.Model):
    """How much of an owner is indexed. Its row is the lock under which numbers are given."""

    owner = models.OneToOneField(Owner, models.CASCADE, primary_key=True)
    next_chunk = models.IntegerField(default=1)
    next_block = models.IntegerField(default=1)
    next_session = models.IntegerField(default=1)
    chunks = models.IntegerField(default=0)
    chunk_terms = models.BigIntegerField(default=0)
    sessions = models.IntegerField(default=0)
    session_terms = models.BigIntegerField(default=0)
    graph_space = models.SmallIntegerField(
        null=True, blank=True, help_text="The space in which this owner has a graph of their own."
    )

    def __str__(self) -> str:
        return str(self.owner_id)


class Unit(models.IntegerChoices):
    """What a posting counts a term in."""

    CHUNK = 0
    SESSION = 1
    KNOWLEDGE = 2


class Posting(models.Model):
    """How often a term stands in a document; `term` is a 32-bit hash, `length` counts its terms."""

    pk = models.CompositePrimaryKey("owner", "unit", "term", "document")
    owner = models.ForeignKey(Owner, models.CASCADE, db_constraint=False, db_index=False)
    unit = models.SmallIntegerField(choices=Unit)
    term = models.IntegerField()
    document = models.IntegerField()
    count = models.SmallIntegerField()
    length = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.term} in {self.document}"


class Term(models.Model):
    """In how many documents of an owner a term stands."""

    pk = models.CompositePrimaryKey("owner", "unit", "term")
    owner = models.ForeignKey(Owner, models.CASCADE, db_constraint=False, db_index=False)
    unit = models.SmallIntegerField(choices=Unit)
    term = models.IntegerField()
    documents = models.IntegerField()

    def __str__(self) -> str:
        return str(self.term)


class EmbeddingSpaceQuerySet(models.QuerySet["EmbeddingSpace"]):
    def current(self) -> "EmbeddingSpace | None":
        return self.filter(state=EmbeddingSpace.State.CURRENT).first()

    def building(self) -> "EmbeddingSpace | None":
        return self.filter(state=EmbeddingSpace.State.BUILDING).first()

    def previous(self) -> "EmbeddingSpace | None":
        """Return the space that was current last."""
        return self.filter(state=EmbeddingSpace.State.RETIRED).order_by("-state_since").first()


class EmbeddingSpace(models.Model):
    """A model, its version and its dimension: vectors of two spaces are never compared.

    A search looks in the current space and in no other.
    """

    class State(models.TextChoices):
        BUILDING = "building"
        CURRENT = "current"
        RETIRED = "retired"
        DROPPING = "dropping"

    id = models.SmallAutoField(primary_key=True)
    model = models.CharField(max_length=100)
    version = models.CharField(max_length=64)
    dimension = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.BUILDING)
    state_since = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = EmbeddingSpaceQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("model", "version", "dimension"), name="embedding_space_once"
            ),
            models.UniqueConstraint(
                fields=("state",),
                condition=models.Q(state__in=("building", "current")),
                name="embedding_space_one_of_a_state",
            ),
        )

    def __str__(self) -> str:
        return f"{self.model} ({self.dimension})"


class Embedding(models.Model):
    """The vector of a chunk in one space; `bits` are its signs where it is too long for an index."""

    pk = models.CompositePrimaryKey("owner", "space", "document")
    owner = models.ForeignKey(Owner, models.CASCADE, db_constraint=False, db_index=False)
    space = models.ForeignKey(EmbeddingSpace, models.CASCADE, db_index=False)
    document = models.IntegerField()
    embedding = HalfVectorField()
    bits = BitField(null=True)

    def __str__(self) -> str:
        return f"{self.document} in {self.space_id}"
