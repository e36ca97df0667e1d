"""A lane's next prompt: instructions, identity, rules, memory, summary and window, within a budget."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.conf import settings

from knowledge.models import Rule
from knowledge.overview import active_rules
from memory.messages import text_of
from memory.models import Event, Session
from memory.tokenizer import count, count_message
from memory.windows import USER
from recall.blocks import Block, memory_block, rules_block
from recall.envelope import render_summary
from recall.errors import BudgetTooSmall
from recall.profiles import PROFILES
from recall.receipts import Learned, write_receipt
from recall.search import Found, Hit, Mode, Question, prepare, search
from recall.turn import TurnMemory, load_turn
from recall.view import LaneView, load_view, shown, summary_room, tool_tokens
from recall.window import Message, fit_groups, groups, messages, squeezed

HITS = 20
# Of what the fixed parts leave, rules take at most this share, then memory, and the window the rest.
RULES_SHARE = 0.25
MEMORY_SHARE = 0.25
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


def assemble_context(
    *, session: Session, query: str | None = None, max_tokens: int | None = None, lane: str = "edge"
) -> Prompt:
    """Build a lane's prompt. Without a query the user's latest words, or the job, are the question.

    Raises BudgetTooSmall when what is never left out does not fit: the tools, the instructions, the
    identity texts, the job and the user's latest words.
    """
    agent = session.owner.agent
    view = load_view(session, lane, most=MOST_EVENTS)
    # The budget is in real tokens; what is counted below is raised by the calibration.
    most = max_tokens or agent.context_tokens * PROMPT_SHARE
    budget = int(most / view.window.calibration)
    fixed = [_system(text) for text in view.fixed]
    required = [*_jobs(view.events), *_latest_words(view.events)]
    tools = tool_tokens(agent)
    left = budget - tools - _cost(fixed) - _tokens(required)
    if left < 0:
        raise BudgetTooSmall(f"what is never left out needs more than {budget} tokens")
    question = (query or "".join(text_of(event.content) for event in required[-1:]))[:LONGEST]
    found, turn = _remembered(session, question, view)
    rules = rules_block(_rules(session, turn), int(left * RULES_SHARE))
    left -= _cost(_message(rules.text))
    summary = _summary(view.summary, summary_room(left))
    left -= _cost(summary)
    memory = memory_block(turn, found.hits, int(left * MEMORY_SHARE))
    window = _fitting(view.events, left - _cost(_message(memory.text)))
    head = [*fixed, *_message(rules.text), *_message(memory.text), *summary]
    tokens = tools + _cost(head) + _tokens(window)
    receipt = _receipt(session, question, found, (rules, memory), tokens)
    real = int(tokens * view.window.calibration)
    return Prompt([*head, *messages(window)], agent.tools, real, receipt, found.degraded, turn)


def _receipt(
    session: Session, question: str, found: Found, blocks: Sequence[Block], tokens: int
) -> UUID:
    return write_receipt(
        owner=session.owner,
        session=session,
        kind="context",
        query=question,
        found=found,
        left_out=[hit for block in blocks for hit in block.hits_left_out],
        learned=Learned(
            [line.named for block in blocks for line in block.kept],
            [line.named for block in blocks for line in block.left_out],
        ),
        tokens=tokens,
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


def _remembered(session: Session, question: str, view: LaneView) -> tuple[Found, TurnMemory]:
    """Return the passages that the window does not hold, and the turn's memory.

    A model is asked once for both.
    """
    owner, asked = session.owner, _asked(session, question)
    found = Found()
    if asked:
        found = search(owner=owner, query=question, limit=HITS, question=asked)
    is_first = _is_first_turn(view)
    turn = load_turn(owner=owner, query=question, is_first_turn=is_first, question=asked)
    return replace(found, hits=_unseen(found.hits, view)), turn


def _rules(session: Session, turn: TurnMemory) -> list[Rule]:
    """Return the rules, without a statement where there are none."""
    return active_rules(session.owner) if turn.diagnostics.procedural_count else []


def _asked(session: Session, question: str) -> Question | None:
    if not question.strip():
        return None
    profile = PROFILES[settings.RANKING_PROFILE]
    return prepare(session.owner.agent, question, Mode.HYBRID, profile)


def _is_first_turn(view: LaneView) -> bool:
    said = [event for event in view.events if shown(event).type == USER]
    return len(said) <= 1 and not view.summary


def _unseen(hits: Sequence[Hit], view: LaneView) -> list[Hit]:
    """Leave out what the window holds anyway."""
    seen = {event.pk for event in view.events}
    return [hit for hit in hits if not seen & set(hit.events)]


def _tokens(events: Sequence[Event]) -> int:
    return sum(event.tokens for event in events)


def _cost(found: Sequence[Message]) -> int:
    return sum(count_message(str(message["content"])) for message in found)
