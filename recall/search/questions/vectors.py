"""Vectors of questions that were asked before: a process remembers the latest of them."""

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from uuid import UUID

from providers.base import Space, Vector

# Of 384 dimensions 3 MB, of 3,072 dimensions 25 MB.
MOST_VECTORS = 2_000
# Who asked, the model, its version, its dimension, and the SHA-256 of the exact text.
Key = tuple[UUID, str, str, int, bytes]


@dataclass(slots=True)
class QuestionVectors:
    """The vectors that were asked for last; safe to share between threads, never written anywhere.

    A key decides its vector, so nothing here grows old. It names the agent as well: how fast an
    answer comes would otherwise tell one tenant what another has asked. It holds no word of the
    question, which may be asked to be forgotten.
    """

    most: int = MOST_VECTORS
    _vectors: OrderedDict[Key, Vector] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, agent: UUID, space: Space, text: str) -> Vector | None:
        """Return the vector of a text in a space, or None when this agent has not asked it lately."""
        key = _key(agent, space, text)
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
        return vector

    def put(self, agent: UUID, space: Space, text: str, vector: Vector) -> None:
        """Remember a copy, which nobody may write to, in the place of the oldest."""
        # Its own: a row would keep the whole batch that it was computed in.
        kept = vector.copy()
        kept.setflags(write=False)
        with self._lock:
            self._vectors[_key(agent, space, text)] = kept
            while len(self._vectors) > self.most:
                self._vectors.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._vectors.clear()

    def __len__(self) -> int:
        return len(self._vectors)


def _key(agent: UUID, space: Space, text: str) -> Key:
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).digest()
    return agent, space.model, space.version, space.dimension, digest


QUESTION_VECTORS = QuestionVectors()
