"""Settings to provider objects."""

import importlib
import logging
from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

from providers.base import Embedder, Space, are_comparable
from providers.chat import ChatModel
from providers.errors import ProviderMisconfigured
from providers.hashing import HashingEmbedder
from providers.metered import MeteredChat, MeteredEmbedder, Reserve, Settle, Use
from providers.null import NullChat, NullEmbedder
from providers.places import chat_place, embedding_place

log = logging.getLogger(__name__)
LOCAL_MODEL = "all-MiniLM-L6-v2"
# Their calls cost what this machine costs.
OURS = frozenset({"null", "hashing", "local", "offline"})


def _local() -> Embedder:
    # numpy's thread pools and the model's libraries load only where vectors are made.
    found: Embedder = importlib.import_module("providers.local").LocalEmbedder()
    return found


def _openai(model: str = "", dimension: int | None = None) -> Embedder:
    place = embedding_place()
    # The package takes most of a second to import.
    found: Embedder = importlib.import_module("providers.openai").OpenAIEmbedder(
        api_key=place.key,
        model=model or settings.OPENAI_EMBEDDING_MODEL,
        dimension=dimension or settings.OPENAI_EMBEDDING_DIMENSION,
        base_url=place.url or None,
        preset=place.preset,
        seconds=settings.OPENAI_TIMEOUT_SECONDS,
    )
    return found


EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "local": _local,
    "openai": _openai,
    "hashing": HashingEmbedder,
    "null": NullEmbedder,
}


@cache
def embedder() -> Embedder:
    """Return the configured embedder, one per process.

    Without the local model's files the hashing embedder stands in, and a line says what that loses.
    """
    try:
        return _metered(EMBEDDERS[settings.EMBEDDER]())
    except ProviderMisconfigured as error:
        log.warning("%s: searching by words alone; paraphrases will be missed", error)
        return _metered(HashingEmbedder())


def embedder_for(space: Space) -> Embedder:
    """Return what makes the vectors of a space, or the null embedder where vectors are switched off.

    A space is asked with the model that made it: of the settings only `null` has a say once there
    are vectors. Raises ProviderMisconfigured when nothing here makes them.
    """
    configured = embedder()
    if configured.name == "null" or are_comparable(configured, space):
        return configured
    found = embedder_named(space.model, space.dimension)
    if not are_comparable(found, space):
        raise ProviderMisconfigured(
            f"the vectors are of {space.model} {space.version} with {space.dimension} dimensions, "
            f"and here is {found.version} with {found.dimension}"
        )
    return found


@cache
def embedder_named(model: str, dimension: int | None = None) -> Embedder:
    """Return the embedder of a model, one per process; what is not ours is the endpoint's.

    Raises ProviderMisconfigured when the model's files, or a way to the endpoint, are missing.
    """
    return _metered(_embedder_named(model, dimension))


def _embedder_named(model: str, dimension: int | None) -> Embedder:
    if model == "hashing":
        return HashingEmbedder(dimension) if dimension else HashingEmbedder()
    if model_name(model) == LOCAL_MODEL:
        return _local()
    if not embedding_place().is_named:
        raise ProviderMisconfigured(f"{model} needs OPENAI_API_KEY or OPENAI_BASE_URL")
    return _openai(model, dimension)


def model_name(name: str) -> str:
    """Return a model's own name for what chooses it."""
    return LOCAL_MODEL if name == "local" else name


def _openai_chat(model: str = "") -> ChatModel:
    place = chat_place()
    found: ChatModel = importlib.import_module("providers.openai_chat").OpenAIChat(
        api_key=place.key,
        model=model or settings.OPENAI_CHAT_MODEL,
        base_url=place.url or None,
        preset=place.preset,
        seconds=settings.OPENAI_CHAT_SECONDS,
    )
    return found


def _offline_chat() -> ChatModel:
    # By name: the rules know the contracts of extraction, which stands above providers.
    model: ChatModel = importlib.import_module("extraction.rules.model").OfflineChat()
    return model


def _any_chat() -> ChatModel:
    return _openai_chat() if chat_place().is_named else _offline_chat()


CHAT_MODELS: dict[str, Callable[[], ChatModel]] = {
    "auto": _any_chat,
    "openai": _openai_chat,
    "offline": _offline_chat,
    "null": NullChat,
}


@cache
def chat_model() -> ChatModel:
    """Return the configured chat model, one per process."""
    found = CHAT_MODELS[settings.CHAT]()
    return found if found.name in OURS else MeteredChat(found, _reserve())


@cache
def chat_model_named(model: str) -> ChatModel:
    """Return the endpoint's model of a name, one per process; the configured one for an empty name.

    Where no endpoint answers, the rules or the null model answer under any name.
    """
    configured = chat_model()
    is_other = model and model != configured.model and configured.name == "openai"
    return MeteredChat(_openai_chat(model), _reserve()) if is_other else configured


def reserve(use: Use) -> Settle:
    """Reserve what a call is expected to cost that no provider of ours makes. Raises OutOfCredit."""
    return _reserve()(use)


def _metered(found: Embedder) -> Embedder:
    """Return an embedder whose calls are paid for, unless nobody pays for them."""
    is_priced = bool(settings.SYSTEM_EMBEDDINGS) and found.name != "null"
    return MeteredEmbedder(found, _reserve()) if is_priced or found.name not in OURS else found


def _reserve() -> Reserve:
    # Providers know nothing of the domain: who pays is the settings' affair.
    found: Reserve = import_string(settings.METER)
    return found
