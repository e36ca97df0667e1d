"""Texts that threads want at the same time, computed together by whoever has the turn."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from providers.base import Vector

Compute = Callable[[Sequence[str]], list[Vector | None]]


@dataclass(slots=True)
class Wish:
    """One text, and what became of it."""

    text: str
    done: threading.Event = field(default_factory=threading.Event)
    vector: Vector | None = None
    error: Exception | None = None


@dataclass(slots=True)
class Together:
    """Lets `turns` threads compute at once; who waits meanwhile is served along with the next.

    More threads than processors compute nothing sooner, and reading the weights of a model for
    one short text takes longer than computing with them: four texts take two and a half times as
    long as one.
    """

    compute: Compute
    turns: threading.Semaphore
    most: int
    _wishes: list[Wish] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def embed(self, text: str) -> Vector | None:
        """Return the vector of a text, or None. Raises what computing raises."""
        wish = Wish(text)
        with self._lock:
            self._wishes.append(wish)
        # Those who came before may fill this turn; nobody waiting means that another has this one.
        while not wish.done.is_set():
            with self.turns:
                if not self._take_turn():
                    break
        wish.done.wait()
        if wish.error is not None:
            raise wish.error
        return wish.vector

    def _take_turn(self) -> bool:
        """Serve those who have waited longest; return whether there was anybody."""
        with self._lock:
            mine, self._wishes = self._wishes[: self.most], self._wishes[self.most :]
        try:
            vectors = self.compute([wish.text for wish in mine]) if mine else []
            for wish, vector in zip(mine, vectors, strict=True):
                wish.vector = vector
        except Exception as error:  # noqa: BLE001 - whoever waits is told
            for wish in mine:
                wish.error = error
        finally:
            for wish in mine:
                wish.done.set()
        return bool(mine)
