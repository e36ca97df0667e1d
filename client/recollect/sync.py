"""The synchronous client."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self, TypeVar

import httpx2

from recollect import calls
from recollect.answers import RETRIES, SECONDS, URL, read, unreachable
from recollect.calls import Call, Said
from recollect.results import Context, Document, Forgotten, Json, Recalled, Session, Stored
from recollect.retrying import wait_before

Result = TypeVar("Result")


class Recollect:
    """Shared by threads. Failures that pass are tried again, at most `retries` times."""

    def __init__(
        self,
        key: str,
        *,
        url: str = URL,
        seconds: float = SECONDS,
        retries: int = RETRIES,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._retries = retries
        self._http = httpx2.Client(
            base_url=f"{url.rstrip('/')}/api/v1/",
            headers={"Authorization": f"Bearer {key}"},
            timeout=seconds,
            transport=transport,
        )

    def session(
        self,
        user: str | None = None,
        *,
        external_id: str | None = None,
        mode: str = "local",
        metadata: Json | None = None,
    ) -> Session:
        """Open a conversation, or return the open one of the same user with this `external_id`."""
        return self.do(calls.open_session(user, external_id, mode, metadata))

    def send(
        self,
        session: Session | str,
        said: Said,
        *,
        prompt_tokens: int | None = None,
        key: str | None = None,
    ) -> tuple[Stored, ...]:
        """Append chat messages, all or none; a text alone is the user's.

        `prompt_tokens` is what the model counted for the prompt it answered.
        """
        return self.do(calls.send(calls.id_of(session), said, prompt_tokens, key))

    def context(
        self,
        session: Session | str,
        query: str | None = None,
        *,
        max_tokens: int | None = None,
        lane: str = "edge",
    ) -> Context:
        """Return the next prompt, ready for a chat API."""
        return self.do(calls.context(calls.id_of(session), query, max_tokens, lane))

    def recall(
        self,
        query: str,
        *,
        user: str | None = None,
        session: Session | str | None = None,
        stores: Sequence[str] | None = None,
        limit: int = 10,
        max_tokens: int | None = None,
    ) -> Recalled:
        """Find what was said in ended sessions, and what was kept on purpose, best first."""
        place = calls.id_of(session) if session else None
        return self.do(calls.recall(query, user, place, stores, limit, max_tokens))

    def remember(
        self,
        content: str,
        *,
        key: str | None = None,
        metadata: Json | None = None,
        once: str | None = None,
    ) -> Document:
        """Keep a text on purpose, as the agent's own; with a `key` in the place of what is there."""
        return self.do(calls.remember(content, key, metadata, once))

    def forget(
        self,
        key: str | None = None,
        *,
        user: str | None = None,
        query: str | None = None,
        items: Sequence[Json] = (),
    ) -> Forgotten:
        """Delete a document by its key; or show what a query finds of a user, then delete `items`.

        Raises ValueError when neither is named.
        """
        return self.do(calls.forgetting(key, user, query, items))

    def end(self, session: Session | str) -> Session:
        """End a conversation: from then on it is found by recall."""
        return self.do(calls.end(calls.id_of(session)))

    def document(self, key: str) -> Document:
        """Return a document by its key. Raises NotFound."""
        return self.do(calls.document(key))

    def documents(
        self, after: str | None = None, *, prefix: str = "", with_contents: bool = False
    ) -> Json:
        """Return a page of the documents, newest first, and the `next` page's cursor."""
        return self.do(calls.documents(after, prefix, with_contents))

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def do(self, call: Call[Result]) -> Result:
        """Make a call, and again where a failure passes. Raises RecollectError."""
        for tries in range(self._retries + 1):
            lost: httpx2.TransportError | None = None
            answer: httpx2.Response | None = None
            try:
                answer = self._http.request(
                    call.method, call.path, json=call.body, headers=call.headers
                )
            except httpx2.TransportError as error:
                lost = error
            wait = wait_before(tries, answer)
            if wait is None or tries == self._retries:
                break
            time.sleep(wait)
        if answer is None:
            raise unreachable(lost) from lost
        return read(call, answer, tries)
