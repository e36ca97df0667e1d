"""A session's next prompt: instructions, identity, memory and window, within a token budget."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from accounts.models import Agent
from memory.budget import estimate_message
from memory.messages import text_of
from memory.models import Event, Session
from recall.answer import fit
from recall.envelope import render, render_item
from recall.errors import BudgetTooSmall
from recall.receipts import write_receipt
from recall.search import Found, Hit, search
from recall.window import Message, fit_groups, groups, messages, newest_events

HITS = 20
# Of what the fixed parts leave, memory takes at most this share, and the window the rest.
MEMORY_SHARE = 0.25
QUERY_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages ready for a chat API; schemas of tools go beside them, in `tools`."""

    messages: list[Message]
    tokens: int
    receipt: UUID
    degraded: str


def assemble_context(
    *, agent: Agent, session: Session, query: str | None, max_tokens: int | None
) -> Prompt:
    """Build the edge lane's prompt. Without a query the user's latest words are the question.

    Raises BudgetTooSmall when what is never left out does not fit: the instructions, the identity
    texts and the user's latest words.
    """
    budget = max_tokens or agent.context_tokens
    fixed = _fixed(agent)
    left = budget - _cost(fixed)
    found_groups = groups(newest_events(session, "edge", agent.window_events))
    latest = _latest_words(found_groups)
    if left < (latest.tokens if latest else 0):
        raise BudgetTooSmall(f"the fixed parts need more than {budget} tokens")
    question = (query or (text_of(latest.content) if latest else ""))[:QUERY_CHARACTERS]
    found = _search(session, question)
    room = min(int(left * MEMORY_SHARE), left - (latest.tokens if latest else 0))
    memory, left_out = _memory(_unseen(found.hits, session, found_groups), room)
    shown, _ = fit_groups(found_groups, left - _cost(memory))
    whole = [*fixed, *memory, *messages(shown)]
    tokens = _cost(fixed) + _cost(memory) + sum(event.tokens for event in shown)
    receipt = write_receipt(
        owner=session.owner,
        session=session,
        kind="context",
        query=question,
        found=found,
        left_out=left_out,
        tokens=tokens,
    )
    return Prompt(whole, tokens, receipt.pk, found.degraded)


def _fixed(agent: Agent) -> list[Message]:
    """Return the messages that are in every prompt, in their order; empty ones are left out."""
    texts = (_behaviour(agent), agent.organization.user_text, agent.soul)
    return [{"role": "system", "content": text} for text in texts if text]


def _behaviour(agent: Agent) -> str:
    skills = [f"- {skill['name']}: {skill['description']}" for skill in agent.skills]
    listed = "\n".join(["Skills:", *skills]) if skills else ""
    return "\n\n".join(part for part in (agent.behaviour, listed) if part)


def _latest_words(found: Sequence[Sequence[Event]]) -> Event | None:
    users = (group[0] for group in reversed(found) if group[0].type == Event.Type.USER_MSG)
    return next(users, None)


def _search(session: Session, question: str) -> Found:
    if not question.strip():
        return Found()
    return search(owner=session.owner, query=question, limit=HITS)


def _unseen(hits: Sequence[Hit], session: Session, shown: Sequence[Sequence[Event]]) -> list[Hit]:
    """Leave out what the window holds anyway."""
    seen = {event.pk for group in shown for event in group}
    return [hit for hit in hits if hit.session != session.pk or not seen & set(hit.events)]


def _memory(hits: Sequence[Hit], room: int) -> tuple[list[Message], list[Hit]]:
    """Return the memory block as at most one message, and the hits it has no room for."""
    overhead = estimate_message(render([" "]))
    costly = [replace(hit, tokens=estimate_message(render_item(hit))) for hit in hits]
    kept, left_out = fit(costly, max(room - overhead, 0))
    text = render([render_item(hit) for hit in kept])
    return ([{"role": "system", "content": text}] if text else []), left_out


def _cost(found: Sequence[Message]) -> int:
    return sum(estimate_message(str(message["content"])) for message in found)
