"""The front door of knowledge, and the filling of the vectors that documents wait for."""

from collections.abc import Set
from uuid import UUID

from django.db import transaction

from accounts.idempotency import fingerprint, once
from accounts.models import Agent
from accounts.owners import agent_owner, find_agent_owner
from audit.log import record
from consolidation.embedding.fill import fill
from consolidation.jobs.queue import Attempt, enqueue
from knowledge.documents.agent import (
    Metadata,
    Put,
    find_document,
    index_text,
    put_document,
)
from knowledge.documents.vectors import store_document_vectors
from knowledge.models import KnowledgeDocument
from memory.hashing import canonical
from providers.base import Embedder

KIND = "embed_documents"
SUBJECT = KIND


def keep_document(
    *,
    agent: Agent,
    actor: str,
    content: str,
    key: str | None = None,
    metadata: Metadata | None = None,
    expected: int | None = None,
    request_key: str | None = None,
) -> Put:
    """Put a document into the agent's own knowledge; a repetition of `request_key` changes nothing.

    Raises what put_document raises, or IdempotencyConflict when the key belongs to another request.
    """
    request = fingerprint(
        canonical(["knowledge", key, content, metadata and dict(metadata), expected])
    )
    done: list[Put] = []

    def write() -> list[UUID]:
        done.append(_put(agent, actor, content, key, metadata, expected))
        return [done[0].document.pk]

    with transaction.atomic():
        ids, repeated = once(agent=agent, key=request_key, request=request, write=write)
        if repeated:
            found = find_document(owner=find_agent_owner(agent), id=ids[0])
            return Put(found, is_new=False, is_changed=False)
    return done[0]


def nudge() -> None:
    """Make the job that fills what documents wait for, in the caller's transaction."""
    enqueue(kind=KIND, key="0", subject=SUBJECT)


def run(run: Attempt) -> None:
    """Fill the vectors of documents for one round. Raises Postponed as `fill` does."""
    fill(run, waiting=_next, text=index_text, store=store_document_vectors, nudge=nudge)


def _next(model: Embedder, spent: Set[int]) -> list[KnowledgeDocument]:
    waiting = KnowledgeDocument.objects.waiting_for_a_vector().exclude(owner__in=spent)
    return list(waiting.defer("tsv").order_by("owner_id", "number")[: model.batch_size])


def _put(
    agent: Agent,
    actor: str,
    content: str,
    key: str | None,
    metadata: Metadata | None,
    expected: int | None,
) -> Put:
    put = put_document(
        owner=agent_owner(agent),
        key=key,
        content=content,
        metadata=metadata,
        language=agent.language,
        expected=expected,
    )
    if put.is_changed:
        record(actor=actor, action="knowledge.put", subject=str(put.document.pk))
        nudge()
    return put
