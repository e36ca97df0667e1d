"""What is remembered of one user: add, search, list, get, update and forget."""

import os
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from types import TracebackType
from typing import Self

from recollect import verbs
from recollect.aio import AsyncRecollect
from recollect.answers import URL
from recollect.sync import Recollect
from recollect.verbs import Added, ForgottenItems, Item, Text


def settings(key: str | None, url: str | None) -> tuple[str, str]:
    """Return the key and the address, from RECOLLECT_KEY and RECOLLECT_URL where not given.

    Raises ValueError without a key.
    """
    key = key or os.environ.get("RECOLLECT_KEY", "")
    if not key:
        raise ValueError("give `key`, or set RECOLLECT_KEY: `make up` prints one")
    return key, url or os.environ.get("RECOLLECT_URL") or URL


class Memory:
    """The memory of one user. `client` serves several users with one connection pool."""

    def __init__(
        self,
        user: str,
        *,
        key: str | None = None,
        url: str | None = None,
        client: Recollect | None = None,
    ) -> None:
        self.user = user
        if client is None:
            key, url = settings(key, url)
            client = Recollect(key, url=url)
        self.client = client

    def add(
        self,
        said: Text,
        *,
        kind: str | None = None,
        session: str | None = None,
        wait: float = 0,
        once: str | None = None,
    ) -> Added:
        """Keep a text at once, or store messages and learn from them.

        `wait` is how many seconds, at most 30, to wait until messages have been learned from.
        `once` makes a repetition one write.
        """
        return self.client.do(verbs.add(self.user, said, kind, session, wait, once))

    def search(
        self,
        query: str,
        *,
        kinds: Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 10,
        max_tokens: int | None = None,
    ) -> tuple[Item, ...]:
        """Search everything that is remembered of the user, best first."""
        call = verbs.search(self.user, query, kinds, since, until, limit, max_tokens)
        return self.client.do(call)

    def list(self, kind: str | None = None, *, state: str = "active") -> Iterator[Item]:
        """Yield what is remembered, newest first; pages are fetched as they are needed."""
        after = ""
        while True:
            page = self.client.do(verbs.listed(self.user, kind, state, after))
            yield from page.items
            after = page.next
            if not after:
                return

    def get(self, id: str) -> Item:
        """Return a memory. Raises NotFound."""
        return self.client.do(verbs.get(id))

    def update(self, id: str, text: str | None = None, *, is_pinned: bool | None = None) -> Item:
        """Change a memory's text, or pin it."""
        return self.client.do(verbs.update(id, text, is_pinned))

    def forget(
        self, id: str | None = None, *, ids: Sequence[str] = (), query: str | None = None
    ) -> ForgottenItems:
        """Forget for good what is named; a query only shows what it finds.

        Raises ValueError when nothing is named.
        """
        return self.client.do(verbs.forget(self.user, id, ids, query))

    def close(self) -> None:
        self.client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncMemory:
    """The memory of one user, for `async` code."""

    def __init__(
        self,
        user: str,
        *,
        key: str | None = None,
        url: str | None = None,
        client: AsyncRecollect | None = None,
    ) -> None:
        self.user = user
        if client is None:
            key, url = settings(key, url)
            client = AsyncRecollect(key, url=url)
        self.client = client

    async def add(
        self,
        said: Text,
        *,
        kind: str | None = None,
        session: str | None = None,
        wait: float = 0,
        once: str | None = None,
    ) -> Added:
        """Keep a text at once, or store messages and learn from them; see `Memory.add`."""
        return await self.client.do(verbs.add(self.user, said, kind, session, wait, once))

    async def search(
        self,
        query: str,
        *,
        kinds: Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 10,
        max_tokens: int | None = None,
    ) -> tuple[Item, ...]:
        """Search everything that is remembered of the user, best first."""
        call = verbs.search(self.user, query, kinds, since, until, limit, max_tokens)
        return await self.client.do(call)

    async def list(self, kind: str | None = None, *, state: str = "active") -> AsyncIterator[Item]:
        """Yield what is remembered, newest first; pages are fetched as they are needed."""
        after = ""
        while True:
            page = await self.client.do(verbs.listed(self.user, kind, state, after))
            for item in page.items:
                yield item
            after = page.next
            if not after:
                return

    async def get(self, id: str) -> Item:
        """Return a memory. Raises NotFound."""
        return await self.client.do(verbs.get(id))

    async def update(
        self, id: str, text: str | None = None, *, is_pinned: bool | None = None
    ) -> Item:
        """Change a memory's text, or pin it."""
        return await self.client.do(verbs.update(id, text, is_pinned))

    async def forget(
        self, id: str | None = None, *, ids: Sequence[str] = (), query: str | None = None
    ) -> ForgottenItems:
        """Forget for good what is named; a query only shows what it finds."""
        return await self.client.do(verbs.forget(self.user, id, ids, query))

    async def close(self) -> None:
        await self.client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
