"""A lane's next prompt: instructions, identity, memory, summary and window, within a budget."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from uuid import UUID

from django.utils import timezone

from knowledge.documents.context_usage import mark_used
from memory.messages import text_of
from memory.models import Event, Session
from memory.tokenizer import count, count_message
from memory.windows import USER
from recall.errors import BudgetTooSmall
from recall.prompt.blocks.documents import STORE
from recall.prompt.blocks.envelope import render_summary
from recall.prompt.blocks.learned import Block, Line
from recall.prompt.given import NOTHING_GIVEN, Given
from recall.prompt.memory.load import Recollection, remember
from recall.prompt.memory.message import memory_message
from recall.prompt.sources.profile import active_connections
from recall.prompt.tools import offered_tools
from recall.prompt.view import load_view, shown, summary_room, tool_tokens
from recall.prompt.window import Message, fit_groups, groups, messages, squeezed
from recall.receipts.write import Learned, write_receipt
from recall.search.questions.question import Mode
from recall.search.turn import TurnMemory

# Without a budget of the caller's a prompt leaves room for the reply.
PROMPT_SHARE = 0.9
LONGEST = 1_000
# More than any window that is folded in time; bounds what one prompt reads.
MOST_EVENTS = 1_000


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages ready for a chat API; `tools` are schemas, which go beside them and in no message.

    `tokens` counts both, raised by what the client's real usage has shown.
    """

    messages: list[Message]
    tools: list[object]
    tokens: int
    receipt: UUID
    degraded: str
    turn: TurnMemory


@dataclass(frozen=True, slots=True)
class Composed:
    """A prompt with all it is made of, before anything is written down; tokens are estimated."""

    question: str
    found: Recollection
    memory: Block
    fixed: list[Message]
    summary: list[Message]
    window: list[Event]
    tools: list[object]
    tokens: int
    budget: int
    calibration: float

    @property
    def messages(self) -> list[Message]:
        head = [*self.fixed, *_message(self.memory.text), *self.summary]
        return [*head, *messages(self.window)]


def assemble_context(
    *,
    session: Session,
    query: str | None = None,
    max_tokens: int | None = None,
    lane: str = "edge",
    given: Given = NOTHING_GIVEN,
    now: datetime | None = None,
) -> Prompt:
    """Build a lane's prompt. Without a query the user's latest words, or the job, are the question.

    `now` is the time that the prompt names, None the clock's. Raises BudgetTooSmall when what is
    never left out does not fit: the tools, the instructions, the identity texts, the job and the
    user's latest words.
    """
    begun, at = perf_counter(), now or timezone.now()
    made = compose(
        session=session, query=query, max_tokens=max_tokens, lane=lane, given=given, now=at
    )
    mark_used(owner=session.owner, ids=_facts_of(made.memory), now=at)
    receipt = _receipt(session, made, begun)
    real = int(made.tokens * made.calibration)
    found = made.found
    return Prompt(made.messages, made.tools, real, receipt, found.degraded, found.turn)


def compose(
    *,
    session: Session,
    query: str | None,
    max_tokens: int | None,
    lane: str,
    given: Given,
    now: datetime,
    mode: Mode = Mode.HYBRID,
) -> Composed:
    """Build what a prompt is made of, and write nothing. Raises BudgetTooSmall as its caller says."""
    agent = session.owner.agent
    view = load_view(session, lane, most=MOST_EVENTS)
    # The budget is in real tokens; what is counted below is raised by the calibration.
    most = max_tokens or agent.context_tokens * PROMPT_SHARE
    budget = int(most / view.window.calibration)
    fixed = [_system(text) for text in view.fixed]
    required = [*_jobs(view.events), *_latest_words(view.events)]
    connections = active_connections(session.owner, given.connections)
    tools = offered_tools(agent, lane, budget=most, connections=connections)
    left = budget - tool_tokens(tools) - _cost(fixed) - _tokens(required)
    if left < 0:
        raise BudgetTooSmall(f"what is never left out needs more than {budget} tokens")
    question = (query or "".join(text_of(event.content) for event in required[-1:]))[:LONGEST]
    found = remember(session, question, view, given, mode)
    memory = memory_message(found.remembered, given, agent=agent, now=now, room=left)
    left -= _cost(_message(memory.text))
    summary = _summary(view.summary, summary_room(left))
    window = _fitting(view.events, left - _cost(summary))
    head = [*fixed, *_message(memory.text), *summary]
    tokens = tool_tokens(tools) + _cost(head) + _tokens(window)
    return Composed(
        question=question,
        found=found,
        memory=memory,
        fixed=fixed,
        summary=summary,
        window=window,
        tools=tools,
        tokens=tokens,
        budget=budget,
        calibration=view.window.calibration,
    )


def learned_of(memory: Block) -> Learned:
    """Return what a receipt names of a memory message beside the passages found."""
    return Learned([one.named for one in memory.kept], [one.named for one in memory.left_out])


def _facts_of(memory: Block) -> list[UUID]:
    return [one.id for one in memory.kept if isinstance(one, Line) and one.store == STORE]


def _receipt(session: Session, made: Composed, begun: float) -> UUID:
    memory = made.memory
    return write_receipt(
        owner=session.owner,
        session=session,
        kind="context",
        query=made.question,
        found=replace(made.found.found, degraded=made.found.degraded),
        left_out=memory.hits_left_out,
        learned=learned_of(memory),
        tokens=made.tokens,
        begun=begun,
    )


def _fitting(events: Sequence[Event], room: int) -> list[Event]:
    """Return the events of the prompt: the window as far as it fits `room`, then the jobs.

    What is never left out is in, beside what `room` is for.
    """
    by_seq = {event.seq: event for event in events}
    latest = _tokens(_latest_words(events))
    found = groups(events)
    # The model asked for these results and has not read them yet: without them it would ask again.
    awaited = [by_seq[one.seq] for one in found[-1]] if found and len(found[-1]) > 1 else []
    last = squeezed(awaited, room) if _tokens(awaited) > room else []
    kept = fit_groups(found[:-1] if last else found, room - _tokens(last) + latest)
    return [*(by_seq[seq] for seq in kept), *last, *_jobs(events)]


def _message(text: str) -> list[Message]:
    """Return a text as at most one message."""
    return [_system(text)] if text else []


def _system(text: str) -> Message:
    return {"role": "system", "content": text}


def _latest_words(events: Sequence[Event]) -> list[Event]:
    """Return the user's latest message as a list of one, or none."""
    users = (event for event in reversed(events) if shown(event).type == USER)
    return [*users][:1]


def _jobs(events: Sequence[Event]) -> list[Event]:
    return [event for event in events if event.type == Event.Type.CORE_JOB_START]


def _summary(text: str, room: int) -> list[Message]:
    """Return the summary as at most one message; what does not fit goes from its oldest end."""
    rendered = render_summary(text)
    while rendered and count_message(rendered) > room:
        excess = count_message(rendered) - room
        text = text[max(len(text) * excess // max(count(text), 1), 1) + 1 :]
        rendered = render_summary("… " + text) if text else ""
    return _message(rendered)


def _tokens(events: Sequence[Event]) -> int:
    return sum(event.tokens for event in events)


def _cost(found: Sequence[Message]) -> int:
    return sum(count_message(str(message["content"])) for message in found)
