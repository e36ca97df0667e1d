"""What a client's model really counted raises the estimate of what its prompts cost."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models.functions import Greatest

from memory.models import LaneWindow, Session
from recall.models import Receipt

# A report beyond this is of another prompt.
MOST = 6.0
# The estimate of a prompt this short says nothing about the next.
LEAST_TOKENS = 100


@dataclass(frozen=True, slots=True)
class ReportedUsage:
    """The prompt tokens a model reported; `receipt` None means the session's latest prompt."""

    prompt_tokens: int
    receipt: UUID | None = None


def calibrate(*, session: Session, lane: str, usage: ReportedUsage) -> None:
    """Raise the lane's calibration to what was reported, never lower it, in the caller's transaction.

    A report for a prompt that is not this session's is passed over.
    """
    prompts = Receipt.objects.filter(session=session, kind=Receipt.Kind.CONTEXT)
    if usage.receipt:
        prompts = prompts.filter(pk=usage.receipt)
    prompt = prompts.order_by("-created_at").first()
    if prompt is None or prompt.tokens < LEAST_TOKENS:
        return
    ratio = min(usage.prompt_tokens / prompt.tokens, MOST)
    LaneWindow.objects.filter(session=session, lane=lane).update(
        calibration=Greatest("calibration", ratio)
    )
