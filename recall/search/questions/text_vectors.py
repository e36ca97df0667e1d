"""The vector of one text while its caller waits; nobody is asked who failed three times in a row."""

import logging
import time
from collections.abc import Callable
from uuid import UUID

from knowledge.saved_facts.categories import Embedded
from memory.models import EmbeddingSpace
from providers.errors import OutOfCredit, ProviderFault
from providers.registry import embedder_for
from recall.search.questions.question import embed_query

log = logging.getLogger(__name__)
MOST_FAILURES = 3
OFF = "vectors_off"
FIRST_REST, LONGEST_REST = 30, 15 * 60
# An unusable vector, or an owner who cannot pay, says nothing of the provider.
NO_FAILURES = frozenset({"", "query_without_vector", OutOfCredit.code})


class Switch:
    """Off after three failures in a row, for a while that each further failure doubles; one per process.

    Somebody may switch it on before. `clock` counts seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._failures, self._on_again, self._clock = 0, 0.0, clock

    @property
    def is_on(self) -> bool:
        return self._failures < MOST_FAILURES or self._clock() >= self._on_again

    def note(self, *, failed: bool) -> None:
        self._failures = self._failures + 1 if failed else 0
        if self._failures >= MOST_FAILURES:
            rest = min(FIRST_REST * 2 ** (self._failures - MOST_FAILURES), LONGEST_REST)
            self._on_again = self._clock() + rest
            log.warning("saved facts are found by their words for %d seconds", rest)

    def enable(self) -> None:
        self._failures = 0


SWITCH = Switch()


def vector_of(agent: UUID, text: str) -> tuple[Embedded | None, str]:
    """Return a text's vector in the current space, or None and why; no reason where none is wanted."""
    space = EmbeddingSpace.objects.current()
    if space is None or not text.strip():
        return None, ""
    if not SWITCH.is_on:
        return None, OFF
    try:
        model = embedder_for(space)
    except ProviderFault as error:
        SWITCH.note(failed=True)
        return None, error.code
    if model.name == "null":
        return None, ""
    vector, degraded = embed_query(agent, model, text)
    SWITCH.note(failed=degraded not in NO_FAILURES)
    if vector is None or len(vector) != space.dimension:
        log.warning("a text is found by its words alone: %s", degraded or "wrong dimension")
        return None, degraded or "wrong_dimension"
    return Embedded(vector, space), ""
