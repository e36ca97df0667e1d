"""Everything that is remembered of a person, searched at once: one look per place, no model."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q
from django.urls import reverse

from accounts.models import Owner
from accounts.owners import scope_of
from accounts.parts import may_hold
from inspector.person.reading import LAYERS, items
from inspector.person.wording import words_of
from knowledge.models import Arc, Entry, Fact, Rule, SavedFact
from knowledge.models.entry import PARTS_OF_ENTRY
from knowledge.models.learned import Learned
from knowledge.models.structured import PARTS_OF_SAVED_FACT
from knowledge.profile.edit import read_profile
from knowledge.profile.pointers import keys_of, leaves
from memory.messages import text_of
from memory.models import Event
from ranking.passages import sentences
from recall.search.hits import Hit
from recall.search.messages.search import search
from recall.search.questions.question import SearchMode

SHOWN = 5
MOST_WORDS, MOST_CHARACTERS = 8, 200
SHORTEST = 2
# Of a long text, what stands around the first word that was found.
BEFORE, AROUND = 60, 240
SAID_BY = {"user": "You", "assistant": "The assistant", "tool": "A tool"}
TITLES = {"facts": "Facts", "sessions": "What conversations were about", "rules": "Rules"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, and whether it is a word that was looked for."""

    text: str
    is_found: bool


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One hit: where it stands, and its words in pieces."""

    where: str
    title: Sequence[Piece]
    pieces: Sequence[Piece]
    state: str = ""


@dataclass(frozen=True, slots=True)
class SearchSection:
    """What one place holds of it. `all_of` is where the rest is; empty for nowhere."""

    title: str
    found: Sequence[SearchHit]
    has_more: bool
    all_of: str = ""


def asked_words(text: str) -> list[str]:
    """Return the words to look for: few, and none of a single letter."""
    words = text.replace("\0", "")[:MOST_CHARACTERS].split()
    return [word for word in words if len(word) >= SHORTEST][:MOST_WORDS]


def find(owner: Owner, text: str) -> list[SearchSection]:
    """Return the places in which all the words are found; each is asked once."""
    words = asked_words(text)
    if not words:
        return []
    places = (
        *(_learned(owner, layer, words) for layer in LAYERS),
        _profile(owner, words),
        _notes(owner, words),
        _saved(owner, words),
        _conversations(owner, words),
    )
    return [place for place in places if place.found]


def pieces_of(text: str, words: Sequence[str]) -> list[Piece]:
    """Return a text, or what stands around the first word, parted where the words stand."""
    pattern = re.compile("|".join(re.escape(word) for word in words), re.IGNORECASE)
    first = pattern.search(text)
    start = max(first.start() - BEFORE, 0) if first else 0
    short = text[start : start + AROUND]
    short = ("… " if start else "") + short + (" …" if start + AROUND < len(text) else "")
    return list(_parted(short, pattern))


def _parted(text: str, pattern: re.Pattern[str]) -> Iterator[Piece]:
    at = 0
    for match in pattern.finditer(text):
        if match.start() > at:
            yield Piece(text[at : match.start()], False)
        yield Piece(match.group(), True)
        at = match.end()
    if at < len(text):
        yield Piece(text[at:], False)


def _learned(owner: Owner, layer: str, words: Sequence[str]) -> SearchSection:
    asked = " ".join(words)
    rows = list(items(owner, layer, state="all", words=asked)[: SHOWN + 1])
    found = [_item(owner, layer, row, words) for row in rows[:SHOWN]]
    there = reverse("memory-items", args=(owner.pk, layer))
    query = urlencode({"q": asked, "state": "all"})
    return SearchSection(TITLES[layer], found, len(rows) > SHOWN, f"{there}?{query}")


def _item(owner: Owner, layer: str, row: Learned, words: Sequence[str]) -> SearchHit:
    return SearchHit(
        reverse("memory-item", args=(owner.pk, layer, row.pk)),
        pieces_of(words_of(row), words),
        pieces_of(_besides(row), words),
        "" if row.is_active else "does not count",
    )


def _besides(row: Learned) -> str:
    """Return what an item is found by besides its own words."""
    if isinstance(row, Fact):
        return row.evidence_quote
    if isinstance(row, Arc):
        return ", ".join([*row.themes, *row.open_loops])
    return "; ".join(row.evidence) if isinstance(row, Rule) else ""


def _profile(owner: Owner, words: Sequence[str]) -> SearchSection:
    picture, there = read_profile(owner), reverse("memory-profile", args=(owner.pk,))
    told = [("now", "", one) for one in sentences(picture.working_memory)]
    told += _leaves(picture.scaffold)
    told += [("learned", "", one) for one in picture.learned]
    hits = [one for one in told if _has(f"{one[1]} {one[2]}", words)]
    found = [
        SearchHit(f"{there}#{anchor}", pieces_of(name, words), pieces_of(text, words))
        for anchor, name, text in hits[:SHOWN]
    ]
    return SearchSection("Profile", found, len(hits) > SHOWN, there)


def _leaves(data: dict[str, object]) -> list[tuple[str, str, str]]:
    """Return the leaves of the profile, each with the card that it stands on and its name."""
    groups: dict[str, int] = {}
    found = []
    for path, value in leaves(data).items():
        keys = keys_of(path)
        card = groups.setdefault(keys[0], len(groups) + 1)
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        found.append((f"group-{card}", ", ".join(keys), text))
    return found


def _has(text: str, words: Iterable[str]) -> bool:
    return all(word.casefold() in text.casefold() for word in words)


def _notes(owner: Owner, words: Sequence[str]) -> SearchSection:
    rows = Entry.objects.within(scope_of(owner.agent, owner=owner.pk))
    rows = rows.filter(may_hold(rows, PARTS_OF_ENTRY, words, owner=owner.pk))
    for word in words:
        rows = rows.filter(Q(name__icontains=word) | Q(content__icontains=word))
    entries = list(rows.order_by("kind", "-number")[: SHOWN + 1])
    there = reverse("memory-notes", args=(owner.pk,))
    found = [
        SearchHit(
            f"{there}?note={one.number}#note-{one.number}",
            pieces_of(one.name, words),
            pieces_of(one.content, words),
        )
        for one in entries[:SHOWN]
    ]
    return SearchSection("Notes", found, len(entries) > SHOWN, there)


def _saved(owner: Owner, words: Sequence[str]) -> SearchSection:
    rows = SavedFact.objects.within(scope_of(owner.agent, owner=owner.pk)).defer("tsv", "embedding")
    rows = rows.filter(may_hold(rows, PARTS_OF_SAVED_FACT, words, owner=owner.pk))
    for word in words:
        rows = rows.filter(Q(key__icontains=word) | Q(value__icontains=word))
    facts = list(rows.by_salience()[: SHOWN + 1])
    there = reverse("memory-notes", args=(owner.pk,))
    found = [
        SearchHit(
            f"{there}?saved={one.pk}#saved",
            pieces_of(one.key, words),
            pieces_of(one.value, words),
        )
        for one in facts[:SHOWN]
    ]
    return SearchSection("Saved facts", found, len(facts) > SHOWN, f"{there}#saved")


def _conversations(owner: Owner, words: Sequence[str]) -> SearchSection:
    """Find by words alone: nothing is paid for while somebody types."""
    hits = search(owner=owner, query=" ".join(words), limit=SHOWN, mode=SearchMode.TEXT).hits
    events = Event.objects.in_bulk([one for hit in hits for one in hit.events])
    found = [
        SearchHit(
            _line(hit, events, words),
            [Piece(f"{SAID_BY.get(hit.speaker, hit.speaker)}, {hit.occurred_at:%-d %B %Y}", False)],
            pieces_of(hit.text, words),
        )
        for hit in hits
    ]
    return SearchSection("What was said", found, False)


def _line(hit: Hit, events: Mapping[UUID, Event], words: Sequence[str]) -> str:
    """Return where the line of a passage stands that has the words; else its first line."""
    lines = [events[one] for one in hit.events if one in events]
    said = [one for one in lines if _has(text_of(one.content), words)]
    there = reverse("session", args=(hit.session,))
    return f"{there}?line={name}#line-{name}" if (name := _name(said or lines)) else there


def _name(lines: Sequence[Event]) -> str:
    return f"{lines[0].lane}-{lines[0].seq}" if lines else ""
