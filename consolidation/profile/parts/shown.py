"""What the model is shown of a picture: dated, with how sure it is, and with ids to name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import orjson

from accounts.models import Owner
from consolidation.models import ContextEvent
from consolidation.profile.claim import observed_of
from knowledge.models import ContextDocument, ScaffoldEntry, UserNarrative
from knowledge.profile.edit import Picture
from knowledge.profile.sureness import aged
from ranking.similarity import token_recall
from ranking.tokens import meaningful, tokens
from recall.search.context import retrieve

# Of each of so many observations, the newest, the nearest documents are looked for.
MOST_ASKED = 10
NEAREST = 5
MOST_DOCUMENTS = 25
MOST_LEARNED = 40
SHOWN_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as text, and what its ids stand for: documents by id, texts as they are."""

    known: str
    ids: Mapping[str, str] = field(default_factory=dict)
    statements: Mapping[str, dict[str, str]] = field(default_factory=dict)


def show(owner: Owner, picture: Picture, events: Sequence[ContextEvent], now: datetime) -> Shown:
    """Return what is known of a user that bears on some observations. May ask for vectors.

    Today is the day of the newest observation: what was imported is not over because it is old.
    """
    statements = _statements(owner)
    today = _newest(statements.values(), events, now)
    documents = _documents(owner, events)
    learned = _nearest(picture.learned, events)
    numbered = {f"d{place}": row for place, row in enumerate(documents, start=1)}
    texts = {f"l{place}": text for place, text in enumerate(learned, start=1)}
    known = {
        "today": f"{today:%Y-%m-%d, %A}",
        "working_memory": [_sentence(id, one) for id, one in statements.items()],
        "scaffold": picture.scaffold,
        "leaves": _leaves(owner, today),
        "documents": _shown_documents(numbered),
        "learned": [{"id": id, "text": text[:SHOWN_CHARACTERS]} for id, text in texts.items()],
    }
    ids = {id: str(row.pk) for id, row in numbered.items()} | texts
    return Shown(orjson.dumps(known).decode(), ids, statements)


def _statements(owner: Owner) -> dict[str, dict[str, str]]:
    row = UserNarrative.objects.filter(owner=owner).first()
    found: Sequence[dict[str, str]] = row.statements if row else []
    return {f"w{place}": one for place, one in enumerate(found, start=1)}


def _newest(
    statements: Iterable[Mapping[str, str]], events: Sequence[ContextEvent], now: datetime
) -> datetime:
    seen = [datetime.fromisoformat(one["confirmed_at"]) for one in statements]
    return min(max([*seen, *(observed_of(one).observed_at for one in events)], default=now), now)


def _sentence(id: str, one: Mapping[str, str]) -> Mapping[str, str]:
    said = {
        "id": id,
        "text": one["text"],
        "since": one["since"][:10],
        "seen": one["confirmed_at"][:10],
    }
    return said | ({"by": one["by"]} if "by" in one else {})


def _leaves(owner: Owner, today: datetime) -> dict[str, str]:
    """Return of each leaf how sure it is, from where, and when it was last seen."""
    return {
        entry.path: ", ".join(
            (
                f"{aged(entry.confidence, entry.channel, entry.observed_at, today):.2f}",
                f"corrected by {entry.channel}" if entry.is_correction else entry.channel,
                f"{entry.observed_at:%Y-%m-%d}",
            )
        )
        for entry in ScaffoldEntry.objects.filter(owner=owner).order_by("path")
    }


def _shown_documents(rows: Mapping[str, ContextDocument]) -> list[Mapping[str, str]]:
    """Return documents with the day of the newest observation they were learned from."""
    named = {id for row in rows.values() for id in row.events}
    told = ContextEvent.objects.filter(pk__in=named).values_list("pk", "observed_at")
    days = {str(id): at for id, at in told}
    return [
        {
            "id": id,
            "text": row.content[:SHOWN_CHARACTERS],
            "kept": f"{max((days[one] for one in row.events if one in days), default=row.created_at):%Y-%m-%d}",
        }
        for id, row in rows.items()
    ]


def _documents(owner: Owner, events: Sequence[ContextEvent]) -> list[ContextDocument]:
    """Return the documents that say something of the person and are nearest to the observations."""
    found: dict[UUID, None] = {}
    for event in events[-MOST_ASKED:]:
        query = event.content[:SHOWN_CHARACTERS]
        hits = retrieve(owner=owner, query=query, limit=NEAREST).hits
        found |= dict.fromkeys(hit.id for hit in hits)
    rows = ContextDocument.objects.filter(owner=owner, pk__in=found).shown().defer("embedding")
    return list(rows[:MOST_DOCUMENTS])


def _nearest(texts: Sequence[str], events: Iterable[ContextEvent]) -> list[str]:
    """Return the learned texts that share most words with the observations, of equal ones the newest."""
    said = [word for event in events for word in tokens(event.content)]
    newest = list(reversed(texts))
    ranked = sorted(newest, key=lambda text: -token_recall(meaningful(text), said))
    return ranked[:MOST_LEARNED]
