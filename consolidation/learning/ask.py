"""Ask the model what a lane needs of a turn; each answer is pinned before the next question."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from consolidation.jobs.backoff import call_seconds
from consolidation.learning.lanes import LANES, candidate_of, judge
from consolidation.learning.turn import Turn
from consolidation.models import LearningRun
from consolidation.verdict import Action, FactOrRule, Verdict, VerdictCode
from providers.chat import ChatModel
from providers.errors import ReplyMalformed, RequestRejected


@dataclass(slots=True)
class LearningReply:
    """What has been answered so far: candidates, None before the first answer, and verdicts on them."""

    found: list[dict[str, object]] | None = None
    verdicts: list[dict[str, str]] = field(default_factory=list)


Judged = list[tuple[FactOrRule, Verdict]]
# Keeps what has been answered so far; raises when the job is no longer this run's.
Pin = Callable[[LearningReply], None]


def ask(model: ChatModel, run: LearningRun, turn: Turn, pin: Pin) -> Judged:
    """Return the turn's candidates in one lane, each with its verdict.

    What an earlier try has pinned is not asked again. Raises what the model raises to the
    extraction; a candidate it cannot judge has failed, and the others go on.
    """
    pinned = run.reply or {}
    # What was answered under another policy is no answer to these questions.
    reply = LearningReply(**pinned) if "found" in pinned else LearningReply()
    seconds = call_seconds()
    if reply.found is None:
        reply.found = [asdict(one) for one in _found(model, run, turn, seconds)]
        pin(reply)
    candidates = [candidate_of(run.lane, payload) for payload in reply.found]
    for candidate in candidates[len(reply.verdicts) :]:
        verdict = _verdict(model, candidate, turn, seconds)
        reply.verdicts.append(asdict(verdict))
        pin(reply)
    return list(zip(candidates, map(_read, reply.verdicts), strict=True))


def _found(model: ChatModel, run: LearningRun, turn: Turn, seconds: float) -> list[FactOrRule]:
    return LANES[run.lane](model, turn, seconds) if turn.said.strip() else []


def _verdict(model: ChatModel, candidate: FactOrRule, turn: Turn, seconds: float) -> Verdict:
    try:
        return judge(model, candidate, turn, seconds)
    except (ReplyMalformed, RequestRejected) as error:
        return Verdict(Action.DROP, VerdictCode.ERROR_POLICY_LLM, error.code)


def _read(kept: dict[str, str]) -> Verdict:
    return Verdict(
        Action(kept["action"]), VerdictCode(kept["code"]), kept["reason"], kept["policy_version"]
    )
