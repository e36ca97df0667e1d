"""Providers that refuse politely."""

from collections.abc import Sequence

from providers.base import BATCH_SIZE, Vector
from providers.chat import Answer, Completion, Task
from providers.errors import ProviderRefused


class NullEmbedder:
    """Gives no vectors: what must leave no trace is not sent anywhere."""

    name = "null"
    model = "null"
    version = "1"
    dimension = 1
    batch_size = BATCH_SIZE

    def embed(self, texts: Sequence[str], *, seconds: float | None = None) -> list[Vector | None]:
        raise ProviderRefused("vectors are switched off (RECOLLECT_EMBEDDER=null)")


class NullChat:
    """Gives no answers: what must leave no trace is not sent anywhere."""

    name = "null"
    model = "null"

    def complete(self, task: Task[Answer], *, seconds: float | None = None) -> Completion[Answer]:
        raise ProviderRefused("the chat model is switched off (RECOLLECT_CHAT=null)")
