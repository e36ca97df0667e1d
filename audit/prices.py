"""What a token costs: dollars per million tokens, which is millionths of a dollar per token."""

from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings

NOTHING = Decimal(0)
# Dollars per 1,000 tokens to millionths of a dollar per token.
PER_TOKEN = Decimal(1_000)


@dataclass(frozen=True, slots=True)
class Price:
    """Millionths of a dollar per token."""

    input: Decimal = NOTHING
    output: Decimal = NOTHING
    embedding: Decimal = NOTHING

    def of(
        self, *, input_tokens: int = 0, output_tokens: int = 0, embedding_tokens: int = 0
    ) -> Decimal:
        """Return millionths of a dollar."""
        return (
            self.input * input_tokens
            + self.output * output_tokens
            + self.embedding * embedding_tokens
        )


FREE = Price()


def price_of(model: str, *, embeds: bool, is_ours: bool) -> Price | None:
    """Return what the tokens of a chat model or an embedder cost, None if nobody knows.

    `is_ours` says that it runs on this machine: free, unless it has a price.
    """
    if embeds and settings.SYSTEM_EMBEDDINGS is not None:
        return Price(embedding=settings.SYSTEM_EMBEDDINGS * PER_TOKEN)
    found: Price | None = settings.PRICES.get(model, FREE if is_ours else None)
    return found
