"""What work will cost before it begins, by the table of prices."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from audit.prices import price_of
from consolidation.intake.transcripts import Transcript
from memory.messages import text_of
from memory.models import Event
from memory.tokenizer import count
from providers.base import Embedder
from providers.chat import ChatModel
from providers.registry import OURS

# Of a turn: the instructions of a question and the turns around it, the answer to it, and how
# often one is asked; twice by each lane, for candidates and for a verdict on them.
QUESTION_TOKENS, ANSWER_TOKENS, QUESTIONS = 2_000, 200, 4
# Of a session: its summary and its arc.
ENDINGS, ENDING_TOKENS = 2, 300
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Forecast:
    """About how many tokens work will take; no price where nobody knows one."""

    tokens: int
    micro_usd: Decimal | None

    def __str__(self) -> str:
        if self.micro_usd is None:
            return f"about {self.tokens} tokens at a price nobody knows"
        return f"about {self.tokens} tokens for {self.micro_usd / MILLION:.4f} US dollars"


def of_vectors(model: Embedder, tokens: int) -> Forecast:
    """Say what vectors of so many tokens cost."""
    price = price_of(model.model, embeds=True, is_ours=model.name in OURS)
    return Forecast(tokens, price.of(embedding_tokens=tokens) if price else None)


def of_learning(model: ChatModel, transcripts: Sequence[Transcript]) -> Forecast:
    """Say what learning from transcripts, and ending them, costs: by rule of thumb."""
    turns = sum(draft.type == Event.Type.USER_MSG for one in transcripts for draft in one.drafts)
    tokens = tokens_of(transcripts)
    asked = QUESTIONS * (turns * QUESTION_TOKENS + tokens) + ENDINGS * tokens
    answered = QUESTIONS * turns * ANSWER_TOKENS + ENDINGS * len(transcripts) * ENDING_TOKENS
    price = price_of(model.model, embeds=False, is_ours=model.name in OURS)
    cost = price.of(input_tokens=asked, output_tokens=answered) if price else None
    return Forecast(asked + answered, cost)


def tokens_of(transcripts: Sequence[Transcript]) -> int:
    return sum(count(text_of(draft.payload)) for one in transcripts for draft in one.drafts)
