"""A LangGraph store whose items are the agent's own documents: kept for good, found by meaning."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from recollect.errors import NotFound
from recollect.matching import fits, matches
from recollect.results import Json
from recollect.sync import Recollect

HEAD = "lg:"
# The server's longest name of a document, and how much of one is kept where it is longer.
LONGEST, KEPT = 200, 130
MOST_RANKED = 200

Namespace = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """An item as it is stored. `is_searched` False is found by its key and its fields alone."""

    name: str
    namespace: Namespace
    key: str
    value: dict[str, Any]
    is_searched: bool
    created_at: datetime
    updated_at: datetime

    @property
    def item(self) -> Item:
        return Item(
            value=self.value,
            key=self.key,
            namespace=self.namespace,
            created_at=self.created_at,
            updated_at=self.updated_at,
        )

    def found(self, score: float | None) -> SearchItem:
        return SearchItem(
            self.namespace, self.key, self.value, self.created_at, self.updated_at, score
        )


class RecollectStore(BaseStore):
    """Items are JSON objects of at most 64 KiB; `index=False` keeps one's text from being searched."""

    def __init__(self, memory: Recollect) -> None:
        self._memory = memory

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Read first, then write: what a batch reads is what was there before it."""
        asked = list(ops)
        results = [None if isinstance(op, PutOp) else self._read(op) for op in asked]
        writes = {(op.namespace, op.key): op for op in asked if isinstance(op, PutOp)}
        for op in writes.values():
            self._write(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise TypeError(f"unknown operation {type(op).__name__}")

    def _get(self, op: GetOp) -> Item | None:
        try:
            found = self._memory.document(name_of(op.namespace, op.key))
        except NotFound:
            return None
        return _kept(
            {
                "key": found.key,
                "content": found.content,
                "metadata": found.metadata,
                "created_at": found.created_at.isoformat(),
                "updated_at": found.updated_at.isoformat(),
            }
        ).item

    def _write(self, op: PutOp) -> None:
        name = name_of(op.namespace, op.key)
        if op.value is None:
            self._delete(name)
            return
        place = {
            "namespace": list(op.namespace),
            "key": op.key,
            "is_searched": op.index is not False,
        }
        content = json.dumps(op.value, ensure_ascii=False)
        self._memory.remember(content, key=name, metadata={"langgraph": place})

    def _delete(self, name: str) -> None:
        try:
            self._memory.forget(name)
        except NotFound:
            return

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted = op.filter or {}
        fitting = [
            one
            for one in self._below(op.namespace_prefix)
            if all(fits(one.value.get(name), value) for name, value in wanted.items())
        ]
        scores = self._scores(op.query) if op.query and fitting else {}
        ranked = [one for one in fitting if one.is_searched and one.name in scores]
        ranked.sort(key=lambda one: scores[one.name], reverse=True)
        rest = [one for one in fitting if one not in ranked]
        found = [one.found(scores.get(one.name)) for one in ranked]
        found += [one.found(None) for one in rest]
        return found[op.offset : op.offset + op.limit]

    def _scores(self, query: str) -> dict[str, float]:
        hits = self._memory.recall(query, stores=("knowledge",), limit=MOST_RANKED).hits
        return {hit.key: hit.score for hit in hits}

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        found = {one.namespace for one in self._below(())}
        fitting = [one for one in found if all(matches(each, one) for each in conditions)]
        cut = {one[: op.max_depth] for one in fitting} if op.max_depth else set(fitting)
        return sorted(cut)[op.offset : op.offset + op.limit]

    def _below(self, namespace: Namespace) -> list[Kept]:
        """Return all items of a namespace and those below it, oldest first."""
        prefix, after = (HEAD + _joined(namespace))[:KEPT], None
        found: list[Kept] = []
        while True:
            page = self._memory.documents(after, prefix=prefix, with_contents=True)
            rows = [one for one in page["results"] if "langgraph" in (one["metadata"] or {})]
            found += [_kept(one) for one in rows]
            after = page["next"]
            if after is None:
                size = len(namespace)
                return [one for one in reversed(found) if one.namespace[:size] == namespace]


def name_of(namespace: Namespace, key: str) -> str:
    """Return the name of the document that an item is kept under."""
    whole = f"{HEAD}{_joined(namespace)}/{quote(key, safe='')}"
    if len(whole) <= LONGEST:
        return whole
    return f"{whole[:KEPT]}~{sha256(whole.encode(errors='surrogatepass')).hexdigest()}"


def _joined(labels: Sequence[str]) -> str:
    return ".".join(quote(label, safe="") for label in labels)


def _kept(found: Json) -> Kept:
    place = found["metadata"]["langgraph"]
    return Kept(
        name=found["key"],
        namespace=tuple(place["namespace"]),
        key=place["key"],
        value=json.loads(found["content"]),
        is_searched=place["is_searched"],
        created_at=datetime.fromisoformat(found["created_at"]),
        updated_at=datetime.fromisoformat(found["updated_at"]),
    )
