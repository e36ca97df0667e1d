"""What a deletion is, and how it is traced in one place: found, removed, kept and restored."""

import hashlib
import hmac
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeGuard
from uuid import UUID

from django.conf import settings

from accounts.models import Owner
from consolidation.deletion.matcher import Matcher, matcher_of, matches
from knowledge.items.rows import LEARNED, Item, build_item, find_item, snapshot
from knowledge.models import Arc, ChangeItem, Fact, Rule
from knowledge.profile.edit import Picture, read_profile
from knowledge.profile.pointers import leaves

Finding = dict[str, object]
Footprint = Mapping[str, Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Target:
    """A thing to delete, in the version that was shown; None is any version.

    `id` is what its kind is named by: a row's id, a note's or a file's name, the words of a sentence
    or a learned text, the pointer of a leaf.
    """

    kind: str
    id: UUID | str
    version: int | None = None


@dataclass
class Deletion:
    """One act of deleting: whose, by whom, what, and the facts, arcs and rules among that."""

    owner: Owner
    actor: str = ""
    targets: Sequence[Target] = ()
    items: Sequence[Item] = field(default=())

    @classmethod
    def of(cls, owner: Owner, actor: str, targets: Sequence[Target]) -> "Deletion":
        """Return the deletion of targets, with those items of them that are there."""
        ids = [(one.kind, one.id) for one in targets if one.kind in LEARNED]
        rows = [find_item(owner, kind, UUID(str(id))) for kind, id in ids]
        return cls(owner, actor, targets, [row for row in rows if row is not None])

    @classmethod
    def of_facts(cls, owner: Owner, facts: Sequence[Fact]) -> "Deletion":
        """Return the deletion of what facts say now; what they said before is passed over."""
        deletion = cls(owner, items=facts)
        deletion.matchers = [matcher_of(fact) for fact in facts]
        return deletion

    def named(self, kind: str) -> list[Target]:
        """Return the targets of one kind."""
        return [one for one in self.targets if one.kind == kind]

    @cached_property
    def matchers(self) -> Sequence[Matcher]:
        """What the items are known by, as they are and as they were before they were changed."""
        rows = (*self.items, *earlier(self.owner, self.items))
        return [matcher_of(row) for row in rows if _is_quoted(row)]

    @cached_property
    def facts(self) -> Sequence[Fact]:
        return [row for row in self.items if isinstance(row, Fact)]

    @cached_property
    def sessions(self) -> Sequence[UUID]:
        """The sessions that go as a whole, with their arcs."""
        return [row.session for row in self.items if isinstance(row, Arc)]

    @cached_property
    def picture(self) -> Picture:
        return read_profile(self.owner)

    @cached_property
    def leaves(self) -> Mapping[str, object]:
        """The values of the profile by their pointers."""
        return leaves(self.picture.scaffold)


def no_words(entry: Finding) -> str:
    return ""


def _nothing(deletion: Deletion, entries: Sequence[Finding]) -> None:
    return


def _not_restored(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    return


def _itself(owner: Owner, name: str) -> str:
    return name


@dataclass(frozen=True, slots=True)
class Trace:
    """How what is deleted is traced in one place. `find` is asked before anything goes.

    Its entries are JSON, and all that `restore` needs. `remove` runs in the act's transaction;
    `remove_outside` once the ledger has the act, for what is no row. `kinds` are the targets that
    stand here; `names` finds those that have no id of their own by what the ledger knows them by,
    which is made of their `key`.
    With `is_chosen` an entry is kept for its person whatever another deletion makes final, and
    without `is_kept` nothing of it is kept at all.
    """

    name: str
    find: Callable[[Deletion], Sequence[Finding]]
    remove: Callable[[Deletion, Sequence[Finding]], None] = _nothing
    restore: Callable[[Owner, Sequence[Finding], str], None] = _not_restored
    words: Callable[[Finding], str] = no_words
    without: Callable[[Finding, Sequence[Matcher]], Finding | None] | None = None
    remove_outside: Callable[[Deletion, Sequence[Finding]], None] = _nothing
    kinds: tuple[str, ...] = ()
    names: Callable[[Owner, Collection[UUID]], Iterable[str]] | None = None
    key: Callable[[Owner, str], str] = _itself
    is_chosen: bool = False
    is_kept: bool = True

    def ledger_id(self, owner: Owner, target: Target) -> UUID:
        """Return what the ledger knows a target by that is there: its id, or a digest of its key."""
        if self.names is None:
            return UUID(str(target.id))
        return keyed_id(owner, target.kind, self.key(owner, str(target.id)))

    def left_by(self, entries: Sequence[Finding], matchers: Sequence[Matcher]) -> list[Finding]:
        """Return what may still be kept of entries when what others say is gone for good."""
        if self.is_chosen:
            return list(entries)
        kept = (self._left(entry, matchers) for entry in entries)
        return [entry for entry in kept if entry is not None]

    def _left(self, entry: Finding, matchers: Sequence[Matcher]) -> Finding | None:
        if self.without is not None:
            return self.without(entry, matchers)
        return None if matches(self.words(entry), matchers) else entry


def earlier(owner: Owner, items: Sequence[Item]) -> Iterator[Item]:
    """Yield what facts and rules said before they were changed."""
    edits = ChangeItem.objects.filter(changeset__owner=owner, act=ChangeItem.Act.EDIT)
    for row in filter(_is_quoted, items):
        for item in edits.filter(target=row.pk).exclude(before=None):
            yield build_item(owner, item.kind, row.pk, snapshot(row) | (item.before or {}))


def keyed_id(owner: Owner, kind: str, name: str) -> UUID:
    """Return an id that tells nothing of the name to whoever has not the key."""
    said = f"deleted {owner.pk} {kind} {name}".encode(errors="surrogatepass")
    key = settings.PSEUDONYM_KEY.encode()
    return UUID(bytes=hmac.new(key, said, hashlib.sha256).digest()[:16])


def named_by(owner: Owner, kind: str, names: Iterable[str], ids: Collection[UUID]) -> list[str]:
    """Return those of the names that stand in the ledger."""
    return [name for name in names if keyed_id(owner, kind, name) in ids]


def _is_quoted(row: Item) -> TypeGuard[Fact | Rule]:
    return isinstance(row, Fact | Rule)
