"""An installation whose models are an endpoint's, and paid for."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

from accounts.credits import set_balance
from accounts.models import User
from providers.registry import chat_model, embedder, embedder_named
from tests.providers.fake_chat import TOKENS
from tests.providers.fake_openai import FakeOpenAI, running

# What the fake endpoint says that every reply took, at the table's prices.
ANSWER = Decimal("0.40") * TOKENS["prompt_tokens"] + Decimal("1.60") * TOKENS["completion_tokens"]
VECTORS = Decimal("0.02")


@contextmanager
def paid_models(settings) -> Iterator[FakeOpenAI]:
    with running() as server:
        settings.EMBEDDER = settings.CHAT = "openai"
        settings.OPENAI_BASE_URL = server.url
        settings.OPENAI_EMBEDDING_DIMENSION = 64
        forget()
        yield server
    forget()


def forget() -> None:
    for found in (embedder, embedder_named, chat_model):
        found.cache_clear()


def give(user: str, micro_usd: int) -> None:
    found = User.objects.get(external_id=user)
    set_balance(user=found, micro_usd=Decimal(micro_usd), actor="test")
