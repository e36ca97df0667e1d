"""Endpoints by name: where each is, its usual models, and where it departs from OpenAI's API."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Preset:
    """What an endpoint is asked, and how. An empty `embedding_model`: it makes no vectors."""

    url: str = ""
    chat_model: str = "gpt-4.1-mini"
    embedding_model: str = "text-embedding-3-small"
    dimension: int = 1536
    needs_key: bool = True
    # Replies can be held to a JSON schema; otherwise the prompt alone asks for one.
    takes_schemas: bool = True
    # The name of the most tokens a reply may have.
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    # Vectors can be asked for in a dimension; otherwise the model's own must be `dimension`.
    takes_dimension: bool = True
    # Vectors can come as base64, a third of the bytes that numbers take.
    takes_base64: bool = True


# "" is whatever OPENAI_BASE_URL names, or OpenAI. What an endpoint rejects beyond this is learned
# from its first rejection (providers.openai_chat.Dialect).
PRESETS: dict[str, Preset] = {
    "": Preset(),
    "openai": Preset(url="https://api.openai.com/v1", limit="max_completion_tokens"),
    "anthropic": Preset(
        url="https://api.anthropic.com/v1",
        chat_model="claude-haiku-4-5",
        embedding_model="",
        takes_schemas=False,
    ),
    "gemini": Preset(
        url="https://generativelanguage.googleapis.com/v1beta/openai",
        chat_model="gemini-2.5-flash",
        embedding_model="gemini-embedding-001",
        takes_base64=False,
    ),
    "mistral": Preset(
        url="https://api.mistral.ai/v1",
        chat_model="mistral-small-latest",
        embedding_model="mistral-embed",
        dimension=1024,
        takes_dimension=False,
        takes_base64=False,
    ),
    "ollama": Preset(
        url="http://127.0.0.1:11434/v1",
        chat_model="llama3.1",
        embedding_model="nomic-embed-text",
        dimension=768,
        needs_key=False,
        takes_dimension=False,
        takes_base64=False,
    ),
    "vllm": Preset(
        url="http://127.0.0.1:8000/v1",
        chat_model="Qwen/Qwen3-8B",
        embedding_model="BAAI/bge-m3",
        dimension=1024,
        needs_key=False,
        takes_dimension=False,
        takes_base64=False,
    ),
}
WITH_VECTORS = [name for name, preset in PRESETS.items() if preset.embedding_model]
