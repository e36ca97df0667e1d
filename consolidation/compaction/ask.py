"""Ask the model what a compaction needs; each answer is pinned before the next question."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from consolidation import prompts
from consolidation.compaction.strategies.registry import STRATEGIES
from consolidation.jobs.backoff import call_seconds
from consolidation.lines import RESULT_CHARACTERS, lines_of, pieces
from consolidation.models import CompactionRun
from memory.deltas import DeltaInvalid, SummaryContent, SummaryDelta, applied, checked
from memory.messages import COMMAND_PATTERN, focus_of
from memory.models import Event, LaneWindow
from memory.references import events_named, sessions_of
from memory.summaries import read_summary, render_summary
from providers.chat import Answer, ChatModel, Line, Task
from providers.errors import ReplyMalformed
from recall.prompt.summary import replayed

RESULT_CHARACTERS_FOR_FACTS = 200
# A model is shown this much of the summary so far: its newest facts, and its text.
KNOWN_CHARACTERS = 40_000
# Less says nothing worth a fact.
LEAST_CHARACTERS = 100


@dataclass(slots=True)
class CompactionReply:
    """What the models have answered so far, one item per piece of the conversation."""

    facts: list[list[dict[str, str]]] = field(default_factory=list)
    deltas: list[dict[str, object]] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)


# Keeps what has been answered so far; raises when the job is no longer this run's.
Pin = Callable[[CompactionReply], None]


def ask(model: ChatModel, run: CompactionRun, pin: Pin) -> CompactionReply:
    """Return facts, and for a fold deltas or summaries as well.

    What an earlier try has pinned is not asked again. Raises what the model raises, and DeltaInvalid.
    """
    reply = CompactionReply(**(run.reply or {}))
    events = _events(run)
    for piece in _open(run, events, RESULT_CHARACTERS_FOR_FACTS, reply.facts):
        reply.facts.append(_facts(model, run, piece))
        pin(reply)
    if not run.folded:
        return reply
    if STRATEGIES[run.strategy].keeps_reference_summary:
        _ask_deltas(model, run, events, reply, pin)
    else:
        _ask_summaries(model, run, events, reply, pin)
    return reply


def _events(run: CompactionRun) -> list[Event]:
    lane = Event.objects.audible().filter(session=run.session, lane=run.lane)
    events = lane.filter(payload__isnull=False)
    if run.folded:
        return list(events.filter(seq__in=run.folded).order_by("seq"))
    return list(events.filter(seq__gte=run.start_seq, seq__lte=run.last_seq).order_by("seq"))


def _facts(model: ChatModel, run: CompactionRun, piece: Sequence[Line]) -> list[dict[str, str]]:
    if sum(len(line.text) for line in piece) < LEAST_CHARACTERS:
        return []
    try:
        found = _complete(model, prompts.facts(piece)).facts
    except ReplyMalformed:
        # A flush loses nothing by it: no facts, and no failure. A fold must not go on.
        if run.folded:
            raise
        return []
    known = {line.ref for line in piece}
    return [
        {
            "key": fact.key,
            "value": fact.value,
            "category": fact.category.value,
            "source_event": fact.source_event if fact.source_event in known else "",
        }
        for fact in found
    ]


def _ask_deltas(
    model: ChatModel, run: CompactionRun, events: Sequence[Event], reply: CompactionReply, pin: Pin
) -> None:
    """Ask for one delta per piece, each on the summary that those before it would leave."""
    window = LaneWindow.objects.get(session=run.session, lane=run.lane)
    summary = read_summary(window)
    for delta in reply.deltas:
        summary = _after(run, summary, delta)
    for piece in _open(run, events, RESULT_CHARACTERS, reply.deltas):
        delta, summary = _delta(model, run, piece, summary)
        reply.deltas.append(delta)
        pin(reply)


def _delta(
    model: ChatModel, run: CompactionRun, piece: Sequence[Line], summary: SummaryContent
) -> tuple[dict[str, object], SummaryContent]:
    """Return a delta and the summary after it; one that is rejected is asked for once more.

    Raises DeltaInvalid when the second does not apply either.
    """
    known = _focused(run, render_summary(summary)[-KNOWN_CHARACTERS:])
    delta = _complete(model, prompts.memory_delta(piece, known)).model_dump()
    try:
        return delta, _after(run, summary, delta)
    except DeltaInvalid as error:
        task = prompts.memory_delta(piece, known, complaint=str(error))
    delta = _complete(model, task).model_dump()
    return delta, _after(run, summary, delta)


def _after(
    run: CompactionRun, summary: SummaryContent, raw: Mapping[str, object]
) -> SummaryContent:
    return applied(summary, checked_delta(run, raw), sessions=sessions_named(run, raw))


def checked_delta(run: CompactionRun, raw: Mapping[str, object]) -> SummaryDelta:
    """Return a raw delta, checked against what exists. Raises DeltaInvalid."""
    events = events_named(run.session, _names(raw))
    return checked(raw, events=events, sessions=sessions_named(run, raw))


def sessions_named(run: CompactionRun, raw: Mapping[str, object]) -> frozenset[str]:
    """Return the ids of the agent's sessions among the references that a raw delta names."""
    return sessions_of(run.session.owner.agent, _names(raw))


def _names(raw: Mapping[str, object]) -> list[str]:
    """Return every reference that a raw delta adds, of itself or as a fact's source."""
    delta = raw.get("memory_delta")
    fields = delta if isinstance(delta, Mapping) else {}
    added, facts = fields.get("add_references"), fields.get("add_fact")
    listed = facts if isinstance(facts, list) else [facts]
    sources = [fact.get("source_event") for fact in listed if isinstance(fact, Mapping)]
    names = [*(added if isinstance(added, list) else []), *sources]
    return [name for name in names if isinstance(name, str)]


def _ask_summaries(
    model: ChatModel, run: CompactionRun, events: Sequence[Event], reply: CompactionReply, pin: Pin
) -> None:
    """Ask for one summary per piece, each covering those before it and the archive so far."""
    window = LaneWindow.objects.get(session=run.session, lane=run.lane)
    text = reply.summaries[-1] if reply.summaries else replayed(run.session, window)
    for piece in _open(run, events, RESULT_CHARACTERS, reply.summaries):
        text = _complete(model, prompts.summary(piece, _focused(run, text))).summary
        reply.summaries.append(text)
        pin(reply)


def _focused(run: CompactionRun, known: str) -> str:
    """Return what is known, with what the user asked to keep above all where a command said so."""
    if run.trigger != CompactionRun.Trigger.MESSAGE:
        return known
    spoken = Event.objects.audible().filter(session=run.session, lane=run.lane)
    commands = spoken.filter(type=Event.Type.USER_MSG, payload__content__regex=COMMAND_PATTERN)
    latest = commands.order_by("-seq").first()
    focus = focus_of(latest.content) if latest else ""
    return f"Keep above all what concerns this: {focus}\n\n{known}" if focus else known


def _open(
    run: CompactionRun, events: Sequence[Event], result_characters: int, done: Sequence[object]
) -> list[list[Line]]:
    """Return the pieces that have no answer yet."""
    return [*pieces(lines_of(events, run.session.owner.agent, result_characters))][len(done) :]


def _complete(model: ChatModel, task: Task[Answer]) -> Answer:
    return model.complete(task, seconds=call_seconds()).value
