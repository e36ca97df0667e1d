"""A lane's next prompt: instructions, identity, memory, summary and window, within a budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from uuid import UUID

from django.utils import timezone

from knowledge.documents.context_usage import mark_used
from memory.messages import text_of
from memory.models import Event, LaneWindow, Session
from recall.errors import BudgetTooSmall
from recall.prompt.account import (
    PromptAccount,
    prompt_budget,
    summary_room,
    text_tokens,
    tool_tokens,
    turn_room,
)
from recall.prompt.blocks.documents import STORE
from recall.prompt.blocks.learned import BlockLine, PromptBlock
from recall.prompt.blocks.parts import joined_blocks
from recall.prompt.given import NOTHING_GIVEN, Given
from recall.prompt.left_out import events_left_out, summary_left_out
from recall.prompt.memory.load import Recollection, remember
from recall.prompt.memory.message import MEMORY_SHARE, STANDING_SHARE, standing_block, turn_block
from recall.prompt.sources.profile import active_connections
from recall.prompt.summary import fit_summary
from recall.prompt.tools import offered_tools
from recall.prompt.view import latest_words, load_view, running_job
from recall.prompt.window import Message, fitting, messages
from recall.receipts.write import ReceiptedItems, write_receipt
from recall.search.questions.question import SearchMode
from recall.search.turn import TurnMemory

LONGEST = 1_000
# More than any window that is folded in time; bounds what one prompt reads.
MOST_EVENTS = 1_000
Named = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages ready for a chat API; `tools` are schemas, which go beside them and in no message.

    `tokens` counts both, raised by what the client's real usage has shown. `left_out` names what had
    no room: events of the window, tokens of the summary, and what was remembered. `standing` and
    `called_up` are its messages of our own, as two texts; `is_folded` says that a summary stands for
    events that have left the window.
    """

    messages: list[Message]
    tools: list[object]
    tokens: int
    receipt: UUID
    degraded: str
    turn: TurnMemory
    left_out: list[Named]
    standing: str
    called_up: str
    is_folded: bool


@dataclass(frozen=True, slots=True)
class Composed:
    """A prompt with all it is made of, before anything is written down; tokens are estimated."""

    question: str
    found: Recollection
    standing: PromptBlock
    turn: PromptBlock
    fixed: list[Message]
    summary: list[Message]
    window: list[Event]
    tools: list[object]
    account: PromptAccount
    calibration: float
    window_left_out: list[Named]

    @property
    def memory(self) -> PromptBlock:
        """What is remembered, wherever in the prompt it stands."""
        return joined_blocks([self.standing, self.turn])

    @property
    def tokens(self) -> int:
        return self.account.total

    @property
    def budget(self) -> int:
        return self.account.budget

    @property
    def head(self) -> list[Message]:
        """What stands before the window: instructions, what stays of memory, the summary."""
        return [*self.fixed, *_message(self.standing.text), *self.summary]

    @property
    def messages(self) -> list[Message]:
        """The prompt; what the question has called up stands before it, so that the rest can stay."""
        latest = next(iter(latest_words(self.window)), None)
        place = self.window.index(latest) if latest else 0
        before, after = messages(self.window[:place], latest), messages(self.window[place:], latest)
        return [*self.head, *before, *_message(self.turn.text), *after]


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
    _note_account(session, lane, made, max_tokens)
    real = int(made.tokens * made.calibration)
    found, memory = made.found, made.memory
    left_out = [*made.window_left_out, *learned_of(memory).left_out]
    left_out += [{"store": "sessions", "id": str(hit.id)} for hit in memory.hits_left_out]
    return Prompt(
        messages=made.messages,
        tools=made.tools,
        tokens=real,
        receipt=receipt,
        degraded=found.degraded,
        turn=found.turn,
        left_out=left_out,
        standing="\n\n".join(str(one["content"]) for one in made.head),
        called_up=made.turn.text,
        is_folded=bool(made.summary),
    )


def compose(
    *,
    session: Session,
    query: str | None,
    max_tokens: int | None,
    lane: str,
    given: Given,
    now: datetime,
    mode: SearchMode = SearchMode.HYBRID,
) -> Composed:
    """Build what a prompt is made of, and write nothing. Raises BudgetTooSmall as its caller says."""
    agent = session.owner.agent
    view = load_view(session, lane, most=MOST_EVENTS)
    calibration = view.window.calibration
    budget = prompt_budget(agent.context_tokens, max_tokens, calibration)
    fixed = [_system(text) for text in view.fixed]
    job, latest = running_job(view.events), latest_words(view.events)
    connections = active_connections(session.owner, given.connections)
    budget_of_tools = max_tokens or agent.context_tokens
    tools = offered_tools(agent, lane, budget=budget_of_tools, connections=connections)
    head = PromptAccount(budget, tools=tool_tokens(tools), fixed=text_tokens(view.fixed))
    base = budget - head.total - _tokens(job)
    left = base - _tokens(latest)
    if left < 0:
        raise BudgetTooSmall(f"what is never left out needs more than {budget} tokens")
    # By what changes seldom, so that the parts keep their size from turn to turn.
    room = base if left >= base * _MOST_BESIDE else left
    question = (query or "".join(text_of(event.content) for event in (latest or job)))[:LONGEST]
    found = remember(session, question, view, given, mode)
    standing = standing_block(found.remembered, given, agent=agent, room=room)
    left -= text_tokens([standing.text])
    summary = fit_summary(view.summary, min(summary_room(room), left))
    left -= text_tokens([summary.text])
    others = _tokens(view.events) - _tokens([*job, *latest])
    turn = turn_block(found.remembered, now=now, room=_turn_room(room, left, others))
    left -= text_tokens([turn.text])
    window = fitting(view.events, left)
    account = replace(
        head,
        standing=text_tokens([standing.text]),
        summary=text_tokens([summary.text]),
        window=_tokens(window),
        turn=text_tokens([turn.text]),
    )
    return Composed(
        question=question,
        found=found,
        standing=standing,
        turn=turn,
        fixed=fixed,
        summary=_message(summary.text),
        window=window,
        tools=tools,
        account=account,
        calibration=calibration,
        window_left_out=[
            *events_left_out(view.events, window, view.unread),
            *summary_left_out(summary.cut),
        ],
    )


# Of what the fixed parts leave, what all parts but the window may take together.
_MOST_BESIDE = STANDING_SHARE + summary_room(100) / 100 + turn_room(100) / 100


def _turn_room(room: int, left: int, window: int) -> int:
    """Return the room of what the question calls up: its own, and more where the window leaves it."""
    return min(max(turn_room(room), min(left - window, int(room * MEMORY_SHARE))), left)


def _note_account(session: Session, lane: str, made: Composed, max_tokens: int | None) -> None:
    """Keep what compaction must know of the last prompt: its budget, and what memory took of it."""
    account = made.account
    always = turn_room(account.budget - account.tools - account.fixed)
    memory = account.standing + min(account.turn, always)
    mine = LaneWindow.objects.filter(session=session, lane=lane)
    mine.exclude(prompt_limit=max_tokens or 0, memory_tokens=memory).update(
        prompt_limit=max_tokens or 0, memory_tokens=memory
    )


def learned_of(memory: PromptBlock) -> ReceiptedItems:
    """Return what a receipt names of a memory message beside the passages found."""
    return ReceiptedItems(
        [one.named for one in memory.kept], [one.named for one in memory.left_out]
    )


def _facts_of(memory: PromptBlock) -> list[UUID]:
    return [one.id for one in memory.kept if isinstance(one, BlockLine) and one.store == STORE]


def _receipt(session: Session, made: Composed, begun: float) -> UUID:
    memory = made.memory
    learned = learned_of(memory)
    return write_receipt(
        owner=session.owner,
        session=session,
        kind="context",
        query=made.question,
        found=replace(made.found.found, degraded=made.found.degraded),
        left_out=memory.hits_left_out,
        learned=replace(learned, left_out=[*made.window_left_out, *learned.left_out]),
        tokens=made.tokens,
        begun=begun,
    )


def _message(text: str) -> list[Message]:
    """Return a text as at most one message."""
    return [_system(text)] if text else []


def _system(text: str) -> Message:
    return {"role": "system", "content": text}


def _tokens(events: Sequence[Event]) -> int:
    return sum(event.tokens for event in events)
