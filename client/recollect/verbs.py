"""The five verbs as requests and readers of their answers: shared by both memories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from recollect.calls import Call, new_key
from recollect.results import Json

Text = str | Json | Sequence[Json]
PAGE = 100


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory is from: its session, the events it was said in, and their words."""

    session: str = ""
    events: tuple[str, ...] = ()
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is remembered.

    `kind` is fact, rule, summary, passage, note or document. `score` is 0 outside a search.
    `happened_at` and `holds_until` are None where nothing says of which time it tells.
    """

    id: str
    kind: str
    text: str
    about: str
    said_at: datetime
    state: str
    source: Source
    score: float = 0.0
    happened_at: datetime | None = None
    holds_until: datetime | None = None
    is_pinned: bool = False
    version: int = 0
    signals: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Added:
    """What was kept. `learned` is False while the server still learns from messages."""

    memories: tuple[Item, ...]
    session: str = ""
    events: tuple[str, ...] = ()
    learned: bool = True
    changeset: str = ""


@dataclass(frozen=True, slots=True)
class ForgottenItems:
    """What a query finds, and is still there; or the ids that are gone, and were not there."""

    would_forget: tuple[Item, ...] = ()
    forgotten: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """A page, and the cursor of the next one; empty on the last."""

    items: tuple[Item, ...]
    next: str


def add(
    user: str, said: Text, kind: str | None, session: str | None, wait: float, once: str | None
) -> Call[Added]:
    body: dict[str, Any] = {"user": user}
    if isinstance(said, str):
        body["text"] = said
    else:
        body["messages"] = [said] if isinstance(said, Mapping) else list(said)
        body["wait"] = wait
    return Call(
        "POST", "memories", _added, body | _given(kind=kind, session=session), once or new_key()
    )


def search(
    user: str,
    query: str,
    kinds: Sequence[str] | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    max_tokens: int | None,
) -> Call[tuple[Item, ...]]:
    body = {
        "user": user,
        "query": query,
        "limit": limit,
        **_given(
            kinds=list(kinds) if kinds else None,
            since=since.isoformat() if since else None,
            until=until.isoformat() if until else None,
            max_tokens=max_tokens,
        ),
    }
    return Call("POST", "memories/search", _results, body)


def listed(user: str, kind: str | None, state: str, after: str) -> Call[Items]:
    query = urlencode(
        {"user": user, "state": state, "limit": PAGE, "after": after} | _given(kind=kind)
    )
    return Call("GET", f"memories?{query}", _page)


def get(id: str) -> Call[Item]:
    return Call("GET", f"memories/{id}", item)


def update(id: str, text: str | None, is_pinned: bool | None) -> Call[Item]:
    return Call("PATCH", f"memories/{id}", item, _given(text=text, is_pinned=is_pinned))


def forget(
    user: str, id: str | None, ids: Sequence[str], query: str | None
) -> Call[ForgottenItems]:
    """Return the call that is meant. Raises ValueError unless one of the three is given."""
    named = [id] if id is not None else list(ids)
    if bool(named) == (query is not None):
        raise ValueError("name an id or ids to forget, or a query that shows what there is")
    what: dict[str, Any] = {"ids": named} if named else {"query": query}
    return Call("POST", "memories/forget", _forgotten, {"user": user, **what})


def item(answer: Json) -> Item:
    source = answer["source"]
    return Item(
        id=answer["id"],
        kind=answer["kind"],
        text=answer["text"],
        about=answer["about"],
        said_at=datetime.fromisoformat(answer["said_at"]),
        state=answer["state"],
        source=Source(source["session"] or "", tuple(source["events"]), source["quote"]),
        score=answer["score"] or 0.0,
        happened_at=_moment(answer["happened_at"]),
        holds_until=_moment(answer["holds_until"]),
        is_pinned=answer["is_pinned"],
        version=answer["version"],
        signals=answer["signals"] or {},
    )


def _items(answers: Sequence[Json]) -> tuple[Item, ...]:
    return tuple(item(answer) for answer in answers)


def _results(answer: Json) -> tuple[Item, ...]:
    return _items(answer["results"])


def _page(answer: Json) -> Items:
    return Items(_results(answer), answer["next"] or "")


def _added(answer: Json) -> Added:
    return Added(
        memories=_items(answer["memories"]),
        session=answer["session"] or "",
        events=tuple(answer["events"]),
        learned=answer["learned"],
        changeset=answer["changeset"] or "",
    )


def _forgotten(answer: Json) -> ForgottenItems:
    shown = _items(answer["would_forget"])
    return ForgottenItems(shown, tuple(answer["forgotten"]), tuple(answer["missing"]))


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _given(**values: object) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
