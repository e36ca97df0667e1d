"""Learn from a turn with one question to the model: its reply feeds both lanes, each by itself."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from consolidation import prompts
from consolidation.deletion.off_the_record import keep_off_the_record
from consolidation.jobs.backoff import call_seconds
from consolidation.jobs.queue import Attempt, holding
from consolidation.jobs.runs import asking, pin
from consolidation.learning.gate.cues import is_memory_control
from consolidation.learning.gate.small_talk import is_small_talk
from consolidation.learning.policies import Policy
from consolidation.learning.turn import Turn, UserMessage
from consolidation.learning.whole.known import KnownMemory, load_known
from consolidation.learning.whole.reading import Read, read
from consolidation.models import LearningRun
from extraction.contracts.turn import Control, TurnReply
from providers.chat import ChatModel

Pinned = Mapping[str, object]
# Of what was said before a short answer, its end asks the question.
QUESTION_CHARACTERS = 300


def ask(
    job: Attempt, model: ChatModel, runs: Sequence[LearningRun], turn: Turn, policy: Policy
) -> Read:
    """Return what the model makes of a turn, having done what the user wants of memory itself.

    What was pinned is not asked again. Raises Postponed, LeaseLost, RequestRejected or
    ReplyMalformed; then nothing was written.
    """
    # What was answered under another policy is no reply to this question.
    pinned = next((run.reply for run in runs if run.reply and "reply" in run.reply), None)
    if pinned is None:
        pinned = _asked(job, model, runs, turn, policy)
    reply = TurnReply.model_validate(pinned["reply"])
    ids = _ids(pinned)
    unwanted = unwanted_lines(reply.control, turn)
    _obey(job, turn, reply.control, unwanted, ids)
    return read(reply, turn.messages, ids, policy, unwanted)


def unwanted_lines(control: Control, turn: Turn) -> frozenset[str]:
    """Return the user's lines that the model says are not to be kept, of those it was shown."""
    if control.act == "none":
        return frozenset()
    users = {line.ref for line in turn.lines if line.role == "user"}
    return frozenset(control.lines) & users


def _obey(
    job: Attempt, turn: Turn, control: Control, lines: frozenset[str], ids: Mapping[str, str]
) -> None:
    wanted = control.targets if control.act == "forget" else ()
    items = [UUID(ids[one]) for one in wanted if one in ids and one[0] in "fr"]
    if lines or items:
        with holding(job):
            keep_off_the_record(session=turn.session, lines=lines, items=items)


def _asked(
    job: Attempt, model: ChatModel, runs: Sequence[LearningRun], turn: Turn, policy: Policy
) -> Pinned:
    if all(map(says_nothing, turn.messages)):
        return {"reply": {"changes": []}, "ids": {}}
    known = load_known(turn.session.owner, [one.text for one in turn.messages])
    task = prompts.turn(turn.lines, policy.version, policy.kinds, rows_beside(turn, known))
    with asking(refusal_counts=True):
        reply = model.complete(task, seconds=call_seconds()).value
    answered = {"reply": reply.model_dump(mode="json"), "ids": dict(known.ids)}
    pin(job, *runs, reply=answered, state=LearningRun.State.REPLIED)
    return answered


def rows_beside(turn: Turn, known: KnownMemory) -> Mapping[str, Sequence[Mapping[str, object]]]:
    """Return what a model is shown after the conversation, each part under its name."""
    now = {"time": turn.lines[-1].at, "zone": turn.session.owner.agent.time_zone}
    hints = [
        {"line": one.ref, "hint": "may ask to keep something out of memory"}
        for one in turn.messages
        if is_memory_control(one.text)
    ]
    return {
        "now": [now],
        "facts": known.facts,
        "people_and_things": known.entities,
        "rules": known.rules,
        "hints": hints,
    }


def says_nothing(message: UserMessage) -> bool:
    """Return whether a message cannot teach: small talk that answers no question."""
    asked = message.answers[-QUESTION_CHARACTERS:]
    return is_small_talk(message.text) and "?" not in asked and "\uff1f" not in asked


def _ids(pinned: Pinned) -> dict[str, str]:
    ids = pinned["ids"]
    return {str(handle): str(id) for handle, id in ids.items()} if isinstance(ids, dict) else {}
