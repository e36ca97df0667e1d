"""Each call of the surface as a request and a reader of its answer: shared by both clients."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from recollect import results
from recollect.results import Json, Session

Result = TypeVar("Result")
Said = str | Json | Sequence[Json]
STORES = ("session", "knowledge")


@dataclass(frozen=True, slots=True)
class Call(Generic[Result]):
    """`key` makes a repetition of a write one write; None for what may be repeated by itself."""

    method: str
    path: str
    read: Callable[[Json], Result]
    body: Mapping[str, Any] | None = None
    key: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        return {"Idempotency-Key": self.key} if self.key else {}


def open_session(
    user: str | None, external_id: str | None, mode: str, metadata: Json | None
) -> Call[results.Session]:
    # A name of its own opens one session however often it is asked for.
    named = {"external_id": external_id or new_key(), "mode": mode, "metadata": metadata or {}}
    return Call("POST", "sessions", results.session, {**named, **_given(user=user)})


def send(
    session: str, said: Said, prompt_tokens: int | None, key: str | None
) -> Call[tuple[results.Stored, ...]]:
    if isinstance(said, str):
        said = {"role": "user", "content": said}
    messages = [said] if isinstance(said, Mapping) else list(said)
    usage = {"usage": {"prompt_tokens": prompt_tokens}} if prompt_tokens else {}
    body = {"messages": messages, **usage}
    return Call("POST", f"sessions/{session}/events", results.stored, body, key or new_key())


def context(
    session: str, query: str | None, max_tokens: int | None, lane: str
) -> Call[results.Context]:
    body = {"lane": lane, **_given(query=query, max_tokens=max_tokens)}
    return Call("POST", f"sessions/{session}/context", results.context, body)


def recall(
    query: str,
    user: str | None,
    session: str | None,
    stores: Sequence[str] | None,
    limit: int,
    max_tokens: int | None,
) -> Call[results.Recalled]:
    who = _given(user=user, session=session, max_tokens=max_tokens)
    # Without anybody it is the agent's own documents that are asked.
    asked = stores or (STORES if user or session else STORES[1:])
    body = {"query": query, "stores": list(asked), "limit": limit, **who}
    return Call("POST", "recall", results.recalled, body)


def remember(
    content: str, key: str | None, metadata: Json | None, once: str | None
) -> Call[results.Document]:
    body = {"content": content, **_given(key=key, metadata=metadata)}
    return Call("POST", "knowledge", results.document, body, once or new_key())


def find_forgettable(user: str, query: str) -> Call[results.Forgotten]:
    return Call("POST", "memory/forget", results.forgotten, {"user": user, "query": query})


def forget_items(user: str, items: Sequence[Json]) -> Call[results.Forgotten]:
    named = [{name: item[name] for name in ("layer", "id", "version")} for item in items]
    return Call("POST", "memory/forget", results.forgotten, {"user": user, "confirm": named})


def document(key: str) -> Call[results.Document]:
    return Call("GET", f"knowledge/{quote(key, safe='')}", results.document)


def documents(after: str | None, prefix: str, with_contents: bool) -> Call[Json]:
    asked = {"limit": 200, "after": after or "", "contents": "yes" if with_contents else "no"}
    return Call("GET", f"knowledge?{urlencode(asked | {'prefix': prefix})}", lambda found: found)


def drop(key: str) -> Call[results.Forgotten]:
    return Call("DELETE", f"knowledge/{quote(key, safe='')}", results.forgotten)


def end(session: str) -> Call[results.Session]:
    return Call("POST", f"sessions/{session}/end", results.session, {})


def id_of(session: Session | str) -> str:
    return session if isinstance(session, str) else session.id


def forgetting(
    key: str | None, user: str | None, query: str | None, items: Sequence[Json]
) -> Call[results.Forgotten]:
    """Return the call that is meant. Raises ValueError."""
    if key is not None:
        if user is not None or query is not None or items or key in {"", ".", ".."}:
            raise ValueError(
                "a document is forgotten by its key alone, one that an address can hold"
            )
        return drop(key)
    if user is not None and items:
        return forget_items(user, items)
    if user is not None and query is not None:
        return find_forgettable(user, query)
    raise ValueError("name a document's key, or a user with a query or with items")


def new_key() -> str:
    return uuid.uuid4().hex


def _given(**values: object) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}
