"""`/compact` in a conversation: done, and answered by us and no model."""

from consolidation.chat.prompt import NOTE
from consolidation.compaction.request import RequestOutcome, request_compaction
from consolidation.models import CompactionRun
from memory.models import Session
from memory.models.window import Lane

MODEL = "recollect"
WORDS = {
    RequestOutcome.SCHEDULED: "The earlier conversation is being compacted; you can go on meanwhile.",
    RequestOutcome.ALREADY_RUNNING: "The earlier conversation is being compacted; you can go on meanwhile.",
    RequestOutcome.NOTHING_TO_COMPACT: "There is nothing to compact yet.",
}


def answer_command(session: Session) -> str:
    """Compact the conversation and return what to say of it. Raises SessionClosed."""
    outcome = request_compaction(
        session=session, lane=Lane.EDGE.value, trigger=CompactionRun.Trigger.MESSAGE
    )
    return NOTE + WORDS[outcome]
