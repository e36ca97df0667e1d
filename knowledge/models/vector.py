"""V: the vector store of facts, attachments and tool outputs, with its metadata."""

from typing import Self

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from pgvector.django import HalfVectorField

from accounts.models import Connection, Owner
from accounts.parts import parts_of
from accounts.scope import Scope
from memory.models import Chunk, EmbeddingSpace

PARTS_OF_CONTEXT = parts_of("content")


class ContextDocumentQuerySet(models.QuerySet["ContextDocument"]):
    def within(self, scope: Scope) -> Self:
        """Keep what the scope may read."""
        mine = self.filter(owner__agent_id=scope.agent)
        return mine if scope.owner is None else mine.filter(owner_id=scope.owner)

    def shown(self) -> Self:
        """Keep what says something of the person, and is no content of a tool; the newest first."""
        told = ("system_learned", "user_provided")
        return self.filter(source__in=told).order_by("-created_at", "-pk")

    def pending(self) -> Self:
        """Keep what waits for a vector."""
        return self.filter(embedding_state=Chunk.EmbeddingState.PENDING)


class ContextDocument(models.Model):
    """One text with its metadata. `id` is a UUID5 of both: storing it twice leaves one.

    A document without a connection is the user's in every conversation; one with a connection
    only where that connection is active.
    """

    class ContextType(models.TextChoices):
        USER_PROFILE = "user_profile"
        USER_PERSISTENT = "user_persistent"
        TOOL_SCHEMA = "tool_schema"
        TOOL_ENTITY = "tool_entity"
        TOOL_PERSISTENT = "tool_persistent"
        TOOL_ATTACHMENT_CONTENT = "tool_attachment_content"

    class Source(models.TextChoices):
        USER_PROVIDED = "user_provided"
        SYSTEM_LEARNED = "system_learned"
        TOOL_INDEXED = "tool_indexed"
        TOOL_EXTRACTED_CONTENT = "tool_extracted_content"

    EmbeddingState = Chunk.EmbeddingState

    id = models.UUIDField(primary_key=True, editable=False)
    owner = models.ForeignKey(Owner, models.CASCADE)
    content = models.TextField()
    context_type = models.CharField(max_length=23, choices=ContextType)
    source = models.CharField(max_length=22, choices=Source)
    org_id = models.UUIDField(null=True, blank=True)
    tool_id = models.CharField(max_length=100, blank=True)
    connection = models.ForeignKey(Connection, models.CASCADE, null=True, blank=True)
    message_id = models.CharField(max_length=100, blank=True)
    attachment_id = models.CharField(max_length=255, blank=True)
    filename = models.CharField(max_length=255, blank=True)
    events = models.JSONField(
        default=list, blank=True, help_text="Observations it was learned from."
    )
    embedding_state = models.CharField(
        max_length=7, choices=EmbeddingState, default=EmbeddingState.PENDING
    )
    embedding_attempts = models.PositiveSmallIntegerField(default=0)
    embedding = HalfVectorField(null=True, blank=True)
    space = models.ForeignKey(EmbeddingSpace, models.SET_NULL, null=True, blank=True)
    is_sensitive = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="Last held by a prompt.")

    objects = ContextDocumentQuerySet.as_manager()

    class Meta:
        # The one collection of the vector store, by its documented name.
        db_table = "toolstream_context"
        indexes = (
            models.Index(fields=("owner", "context_type"), name="context_of_owner"),
            models.Index(
                fields=("owner", "-created_at", "-id"),
                condition=models.Q(source__in=("system_learned", "user_provided")),
                name="context_shown",
            ),
            models.Index(
                fields=("owner",),
                condition=models.Q(embedding_state__in=("pending", "failed")),
                name="context_without_a_vector",
            ),
            GinIndex(PARTS_OF_CONTEXT, name="context_parts"),
        )

    def __str__(self) -> str:
        return f"{self.context_type} {self.pk}"


class ConnectionContext(models.Model):
    """What a connection's tool said of itself, kept until `expires_at`, then asked for again."""

    class Kind(models.TextChoices):
        SCHEMA = "schema"
        METADATA = "metadata"

    id = models.BigAutoField(primary_key=True)
    connection = models.ForeignKey(Connection, models.CASCADE, related_name="contexts")
    kind = models.CharField(max_length=8, choices=Kind)
    data = models.JSONField(default=dict)
    fetched_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    error_code = models.CharField(max_length=60, blank=True, help_text="Of the latest refresh.")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("connection", "kind"), name="connection_context_once"),
        )

    def __str__(self) -> str:
        return f"{self.kind} of {self.connection_id}"
