"""What happened to a person's memory, the newest first: conversations, and what was learned."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.db.models import Prefetch, Q, QuerySet

from accounts.models import Owner
from inspector.person.reading import words_by_id
from inspector.person.wording import ACT, ORIGIN, said
from knowledge.models import ChangeItem, Changeset
from memory.models import Session

ROWS = 25
# A run may change hundreds of items; the line of it names the first ones.
MOST_ITEMS = 5
KIND = {
    "profile": "your profile",
    "narrative": "what you are about now",
    "scaffold": "your profile",
    "learned_info": "learned besides",
    "fact": "a fact that is deleted by now",
    "arc": "a conversation that is deleted by now",
    "rule": "a way of answering that is deleted by now",
}

Row = TypeVar("Row", Changeset, Session)


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One line of the time line; `session` is the conversation that one can read."""

    at: datetime
    id: UUID
    kind: str
    title: str
    words: Sequence[str]
    session: UUID | None = None
    is_taken_back: bool = False

    @property
    def cursor(self) -> str:
        return f"{self.at.isoformat()}_{self.id}"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A page of the time line; `older` is the cursor of the next one, empty at the end."""

    moments: Sequence[TimelineEntry]
    older: str


def stretch(owner: Owner, cursor: str = "") -> Stretch:
    """Return the moments before a cursor; all of them from the newest where it is not one."""
    before = _parsed(cursor)
    first = ChangeItem.objects.filter(place__lt=MOST_ITEMS).order_by("place")
    # A text that is found by meaning repeats what another item says.
    corrected = Q(act=ChangeItem.Act.EDIT)
    first = first.exclude(~corrected, kind=ChangeItem.Kind.DOCUMENT)
    made = Changeset.objects.filter(owner=owner).prefetch_related(Prefetch("items", first))
    changesets = _before(made, "created_at", before)
    sessions = _before(Session.objects.filter(owner=owner), "opened_at", before)
    names = _names(owner, changesets)
    found = [*(_changed(one, names) for one in changesets), *map(_talked, sessions)]
    found.sort(key=lambda one: (one.at, one.id), reverse=True)
    shown = found[:ROWS]
    return Stretch(shown, shown[-1].cursor if len(found) > ROWS else "")


def _before(rows: QuerySet[Row], field: str, before: tuple[datetime, UUID] | None) -> QuerySet[Row]:
    if before is not None:
        at, pk = before
        rows = rows.filter(**{f"{field}__lte": at})
        rows = rows.filter(Q(**{f"{field}__lt": at}) | Q(pk__lt=pk))
    return rows.order_by(f"-{field}", "-pk")[: ROWS + 1]


def _parsed(cursor: str) -> tuple[datetime, UUID] | None:
    at, _, pk = cursor.partition("_")
    with suppress(ValueError):
        found = datetime.fromisoformat(at), UUID(pk)
        return found if found[0].tzinfo else None
    return None


def _talked(session: Session) -> TimelineEntry:
    words = [session.summary] if session.summary else []
    title = f"You talked: {session.external_id}" if session.external_id else "You talked"
    return TimelineEntry(session.opened_at, session.pk, "said", title, words, session.pk)


def _changed(made: Changeset, names: Mapping[str, str]) -> TimelineEntry:
    by_hand = made.origin in {Changeset.Origin.PERSON, Changeset.Origin.OPERATOR}
    return TimelineEntry(
        made.created_at,
        made.pk,
        "corrected" if by_hand or made.origin == Changeset.Origin.REVERT else "learned",
        ORIGIN.get(made.origin, made.origin),
        [_line(one, names) for one in made.items.all()],
        is_taken_back=made.reverted_at is not None,
    )


def _names(owner: Owner, changesets: Iterable[Changeset]) -> dict[str, str]:
    """Return the words of what changes name by its id alone."""
    items = [one for made in changesets for one in made.items.all()]
    wordless = {one.target for one in items if one.target and not _own_words(one)}
    return words_by_id(owner, wordless)


def _own_words(item: ChangeItem) -> str:
    after = None if item.act == ChangeItem.Act.DELETE else item.after
    return said(after) or said(item.before)


def _line(item: ChangeItem, names: Mapping[str, str]) -> str:
    """Return what one change did, as far as its words are still there."""
    what = _own_words(item) or names.get(str(item.target)) or KIND.get(item.kind, item.kind)
    return f"{ACT.get(item.act, item.act).capitalize()}: {what}"
