"""One turn from the user's words to an answer: for who has no client of his own."""

from dataclasses import dataclass
from uuid import UUID

from consolidation.chat import command
from consolidation.chat.answer import PartialAnswer
from consolidation.chat.asking import PaidTurn, request_for, turn_of
from consolidation.chat.command import answer_command
from consolidation.chat.errors import UpstreamMissing, UpstreamRefused
from consolidation.chat.offline import MODEL, answer_offline
from consolidation.chat.prompt import RecalledBlock, remember_for
from consolidation.intake.accept import accept_events
from extraction.rules.model import OfflineChat
from memory.messages import draft_of, is_command
from memory.models import Session
from providers.null import NullChat
from providers.registry import chat_model


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What was answered, by which model, with the receipt of what it was given."""

    text: str
    model: str
    receipt: UUID | None = None
    degraded: str = ""


def is_offline() -> bool:
    """Say whether rules stand in for a model. Raises UpstreamMissing when nothing does."""
    model = chat_model()
    if isinstance(model, NullChat):
        raise UpstreamMissing("no chat model is configured")
    return isinstance(model, OfflineChat)


def say(*, session: Session, text: str) -> ChatReply:
    """Keep what a user says, recall, have it answered outside any transaction, keep the answer.

    Raises SessionClosed; and Busy, UpstreamMissing, UpstreamUnreachable or UpstreamRefused, after
    which what was said is kept.
    """
    said = {"role": "user", "content": text}
    draft = draft_of(said)
    accept_events(agent=session.owner.agent, session=session, drafts=[draft])
    if is_command(draft.type, draft.payload):
        return ChatReply(answer_command(session), command.MODEL)
    remembered = remember_for(session)
    if is_offline():
        return _reply(answer_offline(session, remembered), MODEL, remembered)
    sent = request_for(remembered.window or [said], remembered)
    return _reply(answered(turn_of(session, remembered, sent)), str(sent["model"]), remembered)


def answered(turn: PaidTurn) -> str:
    """Ask the model and return the words of its whole answer. Raises as `say` does."""
    answer = turn.begin()
    body = turn.whole(answer)
    if not answer.is_success:
        raise UpstreamRefused(f"the model answers with status {answer.status_code}")
    gathered = PartialAnswer()
    gathered.take_whole(body)
    text = "".join(gathered.words)
    if not text:
        raise UpstreamRefused("the model answers without a word")
    return text


def _reply(text: str, model: str, remembered: RecalledBlock) -> ChatReply:
    return ChatReply(text, model, remembered.receipt, remembered.degraded)
