"""What an agent or an operator wrote on purpose."""

from typing import Self

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from pgvector.django import BitField, HalfVectorField

from accounts.ids import new_id
from accounts.models import Owner
from accounts.scope import Scope
from memory.models import Chunk, EmbeddingSpace


class KnowledgeDocumentQuerySet(models.QuerySet["KnowledgeDocument"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def waiting_for_a_vector(self) -> Self:
        return self.filter(embedding_state=Chunk.EmbeddingState.PENDING)

    def listed(self) -> Self:
        """Leave out what may be long: a list shows names, sizes and times."""
        return self.defer("content", "tsv")


class KnowledgeDocument(models.Model):
    """A text of the agent itself, found under its key or by search. No automation writes here.

    The documents of an owner are numbered, for the index rows that name them.
    """

    EmbeddingState = Chunk.EmbeddingState

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    number = models.IntegerField()
    key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001 - None: has no key
    content = models.TextField()
    metadata = models.JSONField(default=dict, blank=True)
    language = models.CharField(max_length=20)
    tokens = models.PositiveIntegerField()
    embedding_state = models.CharField(
        max_length=7, choices=EmbeddingState, default=EmbeddingState.PENDING
    )
    embedding_attempts = models.PositiveSmallIntegerField(default=0)
    version = models.PositiveIntegerField(default=1)
    tsv = models.GeneratedField(
        expression=models.Func("owner_id", "content", function="memory_chunk_tsv"),
        output_field=SearchVectorField(),
        db_persist=True,
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = KnowledgeDocumentQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("owner", "number"), name="knowledge_number_once"),
            models.UniqueConstraint(fields=("owner", "key"), name="knowledge_key_once"),
            models.CheckConstraint(condition=~models.Q(key=""), name="knowledge_key_not_empty"),
        )
        indexes = (
            GinIndex(fields=("tsv",), name="knowledge_tsv"),
            models.Index(
                fields=("owner",),
                condition=models.Q(embedding_state="pending"),
                name="knowledge_waits_for_a_vector",
            ),
        )

    def __str__(self) -> str:
        return self.key or str(self.pk)


class KnowledgeEmbedding(models.Model):
    """The vector of a document in one space; `bits` are its signs where it is too long for an index."""

    pk = models.CompositePrimaryKey("owner", "space", "document")
    owner = models.ForeignKey(Owner, models.CASCADE, db_constraint=False, db_index=False)
    space = models.ForeignKey(EmbeddingSpace, models.CASCADE, db_index=False)
    document = models.IntegerField()
    embedding = HalfVectorField()
    bits = BitField(null=True)

    def __str__(self) -> str:
        return f"{self.document} in {self.space_id}"


class KnowledgeIndex(models.Model):
    """How much of an owner's knowledge is in the word index; `number` was given last, once."""

    owner = models.OneToOneField(Owner, models.CASCADE, primary_key=True)
    number = models.IntegerField(default=0)
    documents = models.IntegerField(default=0)
    terms = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.owner_id)
