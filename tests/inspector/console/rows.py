"""What the operator's pages are shown with."""

from datetime import UTC, date, datetime
from decimal import Decimal

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Agent
from audit.models import CostEntry
from consolidation.embedding import reembed as reembedding
from consolidation.models import Candidate, ContextEvent
from consolidation.observations.record import observe
from memory.models import EmbeddingSpace
from tests.consolidation.candidates import fact, hold
from tests.factories import make_session

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def shown(client: Client, name: str, *ids: object, **query: str) -> str:
    answer = client.get(reverse(name, args=ids), query)
    assert answer.status_code == 200
    return answer.content.decode()


def hold_many(agent: Agent, count: int) -> list[Candidate]:
    session = make_session(agent)
    return hold(session, *(fact(str(n), "I sing", turn=n) for n in range(count)))


def set_aside(agent: Agent) -> ContextEvent:
    owner = make_session(agent).owner
    event = observe(owner=owner, event_type="fact", content="I sing.", source="interactive")
    ContextEvent.objects.update(set_aside_at=timezone.now(), error_code="reply_malformed")
    return event


def pay(agent: Agent, purpose: str, micro_usd: int, day: date | None = None) -> None:
    CostEntry.objects.create(
        organization=agent.organization_id,
        agent=agent.pk,
        purpose=purpose,
        provider="openai",
        model="m",
        price_version="1",
        micro_usd=Decimal(micro_usd),
        state="settled",
        day=day or datetime.now(UTC).date(),
    )


def full_space(dimension: int = 64) -> EmbeddingSpace:
    """Fill another space than the current one with what there is."""
    version = EmbeddingSpace.objects.get(state="current").version
    space = EmbeddingSpace.objects.create(model="hashing", version=version, dimension=dimension)
    reembedding.fill(space)
    return space
