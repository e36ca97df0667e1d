"""Wait a little for a question's vector; what comes later is there for the next question."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache

from django.conf import settings
from django.db import connection

from memory.vectors import Vector
from providers.base import Embedder
from providers.errors import ProviderFault, ProviderUnavailable
from providers.registry import OURS

log = logging.getLogger(__name__)
# Questions whose vectors may be under way in one process; one more is answered by its words.
AT_ONCE = 16
Keep = Callable[[Vector], None]


class QuestionSlow(ProviderUnavailable):
    """The provider may yet answer, and nobody waits for it."""

    code = "provider_slow"


def embed_in_time(model: Embedder, text: str, keep: Keep) -> Vector | None:
    """Return a text's vector, waited for as long as a reader may be kept waiting.

    `keep` is given the vector whenever it comes. Raises QuestionSlow, or what the model raises. A
    model of our own needs no network, and within a transaction another thread would not see what it
    has written: both are asked in place.
    """
    if model.name in OURS or connection.in_atomic_block:
        return _embed(model, text, keep)
    if not _slots().acquire(blocking=False):
        raise QuestionSlow("too many questions are under way")
    context = copy_context()
    under_way: Future[Vector | None] = _threads().submit(
        context.run, _embed_apart, model, text, keep
    )
    under_way.add_done_callback(lambda _: _slots().release())
    try:
        return under_way.result(timeout=settings.QUERY_WAIT_SECONDS)
    except TimeoutError:
        under_way.add_done_callback(_log_failure)
        raise QuestionSlow("the question's vector is late") from None


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AT_ONCE, thread_name_prefix="question")


@cache
def _slots() -> threading.BoundedSemaphore:
    return threading.BoundedSemaphore(AT_ONCE)


def _embed_apart(model: Embedder, text: str, keep: Keep) -> Vector | None:
    try:
        return _embed(model, text, keep)
    finally:
        # What was spent is written down in this thread: its connection ends with it.
        connection.close()


def _embed(model: Embedder, text: str, keep: Keep) -> Vector | None:
    (vector,) = model.embed([text], seconds=settings.QUERY_EMBEDDING_SECONDS)
    if vector is not None:
        keep(vector)
    return vector


def _log_failure(under_way: "Future[Vector | None]") -> None:
    error = under_way.exception()
    if error is not None:
        code = error.code if isinstance(error, ProviderFault) else type(error).__name__
        log.warning("a late question has no vector: %s", code)
