"""The facts of V for a turn, as lines of a prompt; that they cannot be had costs them alone."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import psycopg
from django.db import DatabaseError, transaction

from accounts.errors import Fault
from accounts.models import Owner
from providers.errors import ProviderFault
from providers.quoting import visible
from recall.prompt.blocks.learned import BlockLine, line
from recall.search.context import ContextHit, retrieve
from recall.search.questions.question import Question

log = logging.getLogger(__name__)
STORE = "context"
FACTS = 5
DOWN = "context_unavailable"


@dataclass(frozen=True, slots=True)
class FoundFacts:
    """Lines, the nearest first; `degraded` names what was missing, empty for nothing."""

    lines: Sequence[BlockLine] = ()
    degraded: str = ""


def find_facts(
    owner: Owner, query: str, connections: Sequence[UUID] | None, question: Question
) -> FoundFacts:
    """Return the facts that answer a question, with the vector it has: no model is asked again."""
    try:
        # A statement that fails must not take the request's others with it.
        with transaction.atomic():
            found = retrieve(
                owner=owner,
                query=query,
                active_connections=connections,
                limit=FACTS,
                question=question,
            )
    except (Fault, ProviderFault, DatabaseError, psycopg.Error) as error:
        log.warning("a prompt goes without facts of V: %s", type(error).__name__)
        return FoundFacts(degraded=DOWN)
    return FoundFacts([_line(hit) for hit in found.hits], found.degraded)


def _line(hit: ContextHit) -> BlockLine:
    item = {"fact": visible(hit.content), "source": hit.metadata.source}
    named = {"file": visible(hit.metadata.filename)} if hit.metadata.filename else {}
    return line(hit.id, STORE, hit.score, item | named)
