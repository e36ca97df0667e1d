"""The three parts of a user's picture under their lock, changed item by item."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from accounts.models import Owner
from knowledge.documents.items import put_document_back
from knowledge.errors import ChangesetOvertaken
from knowledge.items.rows import as_json, lock_memory
from knowledge.items.tombstones import TOMBSTONE, is_buried, words
from knowledge.models import (
    ChangeItem,
    LearnedInfo,
    Scaffold,
    ScaffoldEntry,
    UserNarrative,
)
from knowledge.profile.pointers import Leaves, built, leaves, meets

Act, Kind, State = ChangeItem.Act, ChangeItem.Kind, ChangeItem.State
PARTS = (Kind.NARRATIVE, Kind.SCAFFOLD, Kind.LEARNED_INFO, Kind.DOCUMENT)
ENTRY = ("confidence", "channel", "is_correction", "evidence", "is_sensitive", "observed_at")
MOST_LEARNED = 200
Said = dict[str, object]
Part = TypeVar("Part", UserNarrative, Scaffold, LearnedInfo)


@dataclass(slots=True)
class LockedProfile:
    """An owner's parts, locked, as they will be; `changed` are the kinds that must be saved."""

    owner: Owner
    narrative: UserNarrative
    scaffold: Scaffold
    learned: LearnedInfo
    leaves: Leaves
    entries: dict[str, ScaffoldEntry]
    changed: set[str] = field(default_factory=set)


def open_profile(owner: Owner) -> LockedProfile:
    """Return an owner's parts under the lock that all that was learned changes under."""
    lock_memory(owner)
    scaffold = _part(Scaffold, owner)
    return LockedProfile(
        owner=owner,
        narrative=_part(UserNarrative, owner),
        scaffold=scaffold,
        learned=_part(LearnedInfo, owner),
        leaves=leaves(scaffold.data),
        entries={entry.path: entry for entry in ScaffoldEntry.objects.filter(owner=owner)},
    )


def write_item(profile: LockedProfile, item: ChangeItem) -> None:
    """Do what an item says: `before` is filled in, `after` is written. None takes a thing out.

    A leaf is `{path, value, entry}`, without `value` where there is none; a learned text is
    `{text}`; the narrative is `{text, statements}`.
    """
    if item.kind == Kind.NARRATIVE:
        item.target = profile.narrative.pk
        item.before = narrative_of(profile)
        _tell(profile, item.after or {})
    elif item.kind == Kind.SCAFFOLD:
        item.target = profile.scaffold.pk
        after = item.after or {}
        item.before = leaf_of(profile, str(after["path"]))
        _set_leaf(profile, after)
    elif item.kind == Kind.LEARNED_INFO:
        item.target = profile.learned.pk
        _learn(profile, item)


def save_profile(profile: LockedProfile) -> None:
    """Store the parts that changed, each in a new version."""
    if Kind.SCAFFOLD in profile.changed:
        profile.scaffold.data = built(profile.leaves)
    for kind, row in (
        (Kind.NARRATIVE, profile.narrative),
        (Kind.SCAFFOLD, profile.scaffold),
        (Kind.LEARNED_INFO, profile.learned),
    ):
        if kind in profile.changed:
            row.version += 1
            row.save()
    profile.changed.clear()


def narrative_of(profile: LockedProfile) -> Said:
    return {"text": profile.narrative.text, "statements": profile.narrative.statements}


def leaf_of(profile: LockedProfile, path: str) -> Said:
    """Return what stands at a pointer, and how sure it is."""
    found: Said = {"path": path}
    if path in profile.leaves:
        found["value"] = profile.leaves[path]
    entry = profile.entries.get(path)
    if entry is not None:
        found["entry"] = {name: as_json(getattr(entry, name)) for name in ENTRY}
    return found


def put_back(profile: LockedProfile, item: ChangeItem, undone: ChangeItem) -> None:
    """Put back what an item changed, and say so in `undone`. Raises ChangesetOvertaken."""
    if item.kind == Kind.DOCUMENT:
        put_document_back(profile.owner, item, undone)
    elif item.kind == Kind.LEARNED_INFO:
        undone.before, undone.after = item.after, item.before
        _learn(profile, undone)
    elif item.before is not None and item.after is not None:
        _check(profile, item)
        undone.after = item.before
        if _is_gone(profile, item):
            undone.state, undone.code, undone.after = State.REJECTED, TOMBSTONE, None
            return
        write_item(profile, undone)


def _part(model: type[Part], owner: Owner) -> Part:
    # Version 0: nobody has written it yet.
    found, _ = model.objects.get_or_create(owner=owner, defaults={"version": 0})
    return found


def _tell(profile: LockedProfile, after: Mapping[str, object]) -> None:
    profile.narrative.text = str(after["text"])
    profile.narrative.statements = after["statements"]
    profile.changed.add(Kind.NARRATIVE)


def _set_leaf(profile: LockedProfile, after: Mapping[str, object]) -> None:
    path = str(after["path"])
    if "value" in after:
        profile.leaves[path] = after["value"]
    else:
        profile.leaves.pop(path, None)
    entry = after.get("entry")
    if isinstance(entry, dict):
        profile.entries[path] = _save_entry(profile.owner, path, entry)
    elif profile.entries.pop(path, None):
        ScaffoldEntry.objects.filter(owner=profile.owner, path=path).delete()
    profile.changed.add(Kind.SCAFFOLD)


def _save_entry(owner: Owner, path: str, fields: Mapping[str, object]) -> ScaffoldEntry:
    at = datetime.fromisoformat(str(fields["observed_at"]))
    values = {name: fields[name] for name in ENTRY if name in fields} | {"observed_at": at}
    row, _ = ScaffoldEntry.objects.update_or_create(owner=owner, path=path, defaults=values)
    return row


def _learn(profile: LockedProfile, item: ChangeItem) -> None:
    """Take the text of `before` out, and the one of `after` in; the newest texts stay."""
    items = list(profile.learned.items)
    gone, new = (str((side or {}).get("text", "")) for side in (item.before, item.after))
    if gone:
        items = [one for one in items if words(one) != words(gone)]
    if new and words(new) not in map(words, items) and not _is_buried_text(profile, new):
        items.append(new)
    if items != profile.learned.items:
        profile.learned.items = items[-MOST_LEARNED:]
        profile.changed.add(Kind.LEARNED_INFO)


def _is_buried_text(profile: LockedProfile, text: str) -> bool:
    return is_buried(owner=profile.owner, kind=Kind.LEARNED_INFO, fields={"text": text})


def _check(profile: LockedProfile, item: ChangeItem) -> None:
    """Raise ChangesetOvertaken when a part does not say any more what the item wrote."""
    after, before = item.after or {}, item.before or {}
    if item.kind == Kind.NARRATIVE:
        is_same = profile.narrative.text == after["text"]
    else:
        path = str(after["path"])
        others = profile.leaves.keys() - {path}
        now = leaf_of(profile, path)
        is_same = now.get("value") == after.get("value") and ("value" in now) == ("value" in after)
        is_same = is_same and not ("value" in before and meets(path, others))
    if not is_same:
        detail: dict[str, str | int] = {"item": item.place, "kind": item.kind}
        raise ChangesetOvertaken(
            f"the {item.kind} of change {item.place} has changed", detail=detail
        )


def _is_gone(profile: LockedProfile, item: ChangeItem) -> bool:
    """Say whether what would come back was deleted by the person."""
    before = item.before or {}
    if item.kind == Kind.SCAFFOLD and "value" not in before:
        return False
    return is_buried(owner=profile.owner, kind=item.kind, fields=before)
