"""Which endpoint is asked for vectors and which for chat, as the settings say."""

from dataclasses import dataclass

from django.conf import settings

from providers.presets import PRESETS, Preset

OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Place:
    """An endpoint. An empty `url` is OpenAI's own."""

    url: str
    key: str
    preset: Preset

    @property
    def is_named(self) -> bool:
        """Whether an operator has named it, by its address or by its key."""
        return bool(self.url or self.key)

    @property
    def lacks_key(self) -> bool:
        return self.preset.needs_key and not self.key


def embedding_place() -> Place:
    return _place(settings.EMBEDDING_PROVIDER, settings.EMBEDDING_URL, settings.EMBEDDING_KEY)


def chat_place() -> Place:
    return _place(settings.CHAT_PROVIDER, settings.CHAT_URL, settings.CHAT_KEY)


def _place(provider: str, url: str, key: str) -> Place:
    # OPENAI_API_KEY goes to OpenAI, or with OPENAI_BASE_URL, and never to somebody else's endpoint.
    is_shared = not url or url == OPENAI
    known = key or (settings.OPENAI_API_KEY if is_shared else "")
    return Place(url or settings.OPENAI_BASE_URL, known, PRESETS[provider])
