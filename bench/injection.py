"""W, S and learned info at their full size: reading and rendering them, and a prompt with and without."""

from datetime import UTC, datetime

from rest_framework.test import APIClient

from accounts.keys import issue_key
from accounts.models import Agent, Connection, Owner
from accounts.owners import resolve_owner
from bench.measure import interleave, show
from consolidation.intake.accept import accept_events
from knowledge.models import LearnedInfo, Scaffold, ScaffoldEntry, UserNarrative
from memory.messages import draft_of
from memory.sessions import open_session
from recall.prompt.given import NOTHING_GIVEN
from recall.prompt.memory.message import TurnMemories, standing_block
from recall.prompt.sources.profile import load_profile

WORDS, LEAVES, LEARNED, CONNECTIONS = 500, 300, 200, 10
WHEN = datetime(2026, 5, 8, tzinfo=UTC)


def injection(agent: Agent) -> None:
    """Time the picture alone, and the whole prompt of a user with one against one without."""
    pictured, bare = (resolve_owner(agent=agent, user=user) for user in ("pictured", "bare"))
    _fill(pictured)
    client = APIClient()
    key = issue_key(organization=agent.organization, agent=agent, actor="bench").text
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    addresses = {owner.key: _session(agent, owner) for owner in (pictured, bare)}

    def assemble(n: int) -> None:
        found = TurnMemories(load_profile(pictured))
        made = standing_block(found, NOTHING_GIVEN, agent=agent, room=100_000)
        assert "Structured Data:" in made.text

    def prompt(user: str) -> None:
        answer = client.post(addresses[user], {}, format="json")
        assert answer.status_code == 200

    found = interleave(
        {
            "picture": assemble,
            "with": lambda n: prompt("pictured"),
            "without": lambda n: prompt("bare"),
        }
    )
    show("W, S and learned info at full size", found["picture"], None, "p95 ≤ 50 ms")
    show("/context of a user without a picture", found["without"])
    show("  the same with a picture at full size", found["with"], found["without"], "≤ 3")


def _session(agent: Agent, owner: Owner) -> str:
    session = open_session(agent=agent, user=owner.key).session
    said = [draft_of({"role": "user", "content": f"was it w{n}?"}) for n in range(20)]
    accept_events(agent=agent, session=session, drafts=said)
    return f"/api/v1/sessions/{session.pk}/context"


def _fill(owner: Owner) -> None:
    sentences = [f"Alice told that word{n} is about the bakery." for n in range(WORDS // 8)]
    leaves = {f"Topic {n // 10}": {} for n in range(LEAVES)}
    for n in range(LEAVES):
        leaves[f"Topic {n // 10}"][f"key {n}"] = f"what is known of matter number {n}"
    UserNarrative.objects.create(owner=owner, text=" ".join(sentences))
    Scaffold.objects.create(owner=owner, data=leaves)
    LearnedInfo.objects.create(owner=owner, items=[f"learned info {n}" for n in range(LEARNED)])
    ScaffoldEntry.objects.bulk_create(
        ScaffoldEntry(
            owner=owner,
            path=f"/Topic {n // 10}/key {n}",
            confidence=n / LEAVES,
            channel="interactive",
            observed_at=WHEN,
        )
        for n in range(LEAVES)
    )
    Connection.objects.bulk_create(
        Connection(owner=owner, tool=f"tool{n}", persistent_learned_info={"default": f"PROJ-{n}"})
        for n in range(CONNECTIONS)
    )
