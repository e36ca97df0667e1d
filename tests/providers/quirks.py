"""What endpoints reject that OpenAI's takes, as their documentation says."""

import json
from collections.abc import Mapping

from tests.providers.faults import Answer

# By endpoint: what a request may hold. A name that is not listed is an unknown parameter.
CHAT = {"model", "messages", "response_format", "temperature"}
VECTORS = {"model", "input", "encoding_format"}
KNOWN: dict[str, dict[str, set[str]]] = {
    "openai": {
        "chat": CHAT | {"max_completion_tokens"},
        "embeddings": VECTORS | {"dimensions"},
    },
    "anthropic": {"chat": CHAT | {"max_tokens", "max_completion_tokens"}},
    "gemini": {"chat": CHAT | {"max_tokens"}, "embeddings": VECTORS | {"dimensions"}},
    "mistral": {"chat": CHAT | {"max_tokens"}, "embeddings": VECTORS},
    "ollama": {"chat": CHAT | {"max_tokens"}, "embeddings": VECTORS},
    "vllm": {
        "chat": CHAT | {"max_tokens", "max_completion_tokens"},
        "embeddings": VECTORS,
    },
}
STATUS = {"mistral": 422}
ONLY_FLOATS = {"gemini", "mistral", "ollama", "vllm"}
WITHOUT_SCHEMAS = {"anthropic"}


def rejection(name: str, path: str, body: Mapping[str, object]) -> Answer | None:
    """Return what the endpoint of a preset answers to a request it does not take; None if it does."""
    if not name:
        return None
    known = KNOWN[name].get("chat" if path.endswith("/chat/completions") else "embeddings")
    if known is None:
        return _error(404, "not found", None)
    for parameter in body.keys() - known:
        return _error(STATUS.get(name, 400), f"unknown parameter: {parameter}", parameter)
    if name in ONLY_FLOATS and body.get("encoding_format", "float") != "float":
        return _error(STATUS.get(name, 400), "encoding_format must be float", "encoding_format")
    if name in WITHOUT_SCHEMAS and "json_schema" in str(body.get("response_format")):
        return _error(400, "response_format is not supported", "response_format")
    return None


def _error(status: int, message: str, parameter: str | None) -> Answer:
    error = {"message": message, "type": "error", "code": None, "param": parameter}
    return Answer(json.dumps({"error": error}).encode(), status)
