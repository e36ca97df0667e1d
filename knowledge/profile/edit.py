"""The picture of a user as a person reads and changes it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from accounts.ids import new_id
from accounts.models import Owner
from knowledge.errors import ItemChanged, ItemUnfit
from knowledge.items.tombstones import bury, words
from knowledge.models import (
    ChangeItem,
    Changeset,
    Channel,
    Contradiction,
    LearnedInfo,
    Scaffold,
    UserNarrative,
)
from knowledge.profile.expiry import EXPIRED, expiry
from knowledge.profile.items import (
    MOST_LEARNED,
    LockedProfile,
    Said,
    leaf_of,
    narrative_of,
    open_profile,
    save_profile,
    write_item,
)
from knowledge.profile.pointers import Data, built, is_under, keys_of, leaves, meets
from ranking.passages import sentences

Act, Kind = ChangeItem.Act, ChangeItem.Kind
EDITABLE = (Kind.NARRATIVE, Kind.SCAFFOLD, Kind.LEARNED_INFO)
NARRATIVE_WORDS = 500
TEXT_CHARACTERS = 20_000
PATH_CHARACTERS = 500
KEY_CHARACTERS = 100
MOST_DEPTH = 10
MOST_LEAVES = 2_000


@dataclass(frozen=True, slots=True)
class Picture:
    """An owner's three parts; a part that nobody wrote yet is empty and in version 0."""

    working_memory: str
    narrative_version: int
    scaffold: Data
    scaffold_version: int
    learned: Sequence[str]
    learned_version: int


def read_profile(owner: Owner) -> Picture:
    """Return the picture of a user as it is."""
    narrative = UserNarrative.objects.filter(owner=owner).first()
    scaffold = Scaffold.objects.filter(owner=owner).first()
    learned = LearnedInfo.objects.filter(owner=owner).first()
    return Picture(
        narrative.text if narrative else "",
        narrative.version if narrative else 0,
        scaffold.data if scaffold else {},
        scaffold.version if scaffold else 0,
        learned.items if learned else (),
        learned.version if learned else 0,
    )


def edit_profile(
    *,
    owner: Owner,
    part: str,
    fields: Mapping[str, object],
    actor: str,
    version: int | None = None,
) -> Changeset:
    """Change a part as a person wishes. `version` is the one that was seen, None for any.

    Fields of the narrative: `text`. Of the scaffold: JSON Pointers, None takes out what stands
    there. Of learned_info: `items`, all of them. Raises ItemUnfit or ItemChanged.
    """
    _check_part(part)
    with transaction.atomic():
        profile = open_profile(owner)
        _check_version(profile, part, version)
        made = _by_person(owner, Act.EDIT, actor)
        _write(profile, made, part, list(EDITS[part](profile, fields)))
    return made


def erase_profile(
    *,
    owner: Owner,
    part: str,
    names: Iterable[str],
    actor: str,
    version: int | None = None,
    may_return: bool = False,
) -> Changeset:
    """Delete sentences, pointers or texts of a part for good; nothing under way brings them back.

    Their words leave the changes that kept them. Without names, all of the part goes. With
    `may_return` their time is over, and they may be said again. Raises ItemUnfit or ItemChanged.
    """
    _check_part(part)
    with transaction.atomic():
        profile = open_profile(owner)
        _check_version(profile, part, version)
        gone = list(ERASED[part](profile, list(names)))
        for said in () if may_return else gone:
            bury(owner=owner, kind=part, fields=said)
        made = expiry(owner) if may_return else _by_person(owner, Act.DELETE, actor)
        _remove(profile, part, gone)
        save_profile(profile)
        _scrub(owner, part, gone)
        for place, _ in enumerate(gone):
            code = EXPIRED if may_return else "person.delete"
            item = _item(made, place, part, Act.DELETE, code)
            # The changes that told of the rest may be empty now: this one says what is left.
            item.after = narrative_of(profile) if part == Kind.NARRATIVE else None
            item.save()
    return made


def erase_members(*, owner: Owner, path: str, members: Sequence[str], actor: str) -> Changeset:
    """Delete members of a list in the scaffold for good, in the caller's transaction; others stay."""
    profile = open_profile(owner)
    value = profile.leaves.get(path)
    rest = [one for one in value if one not in members] if isinstance(value, list) else value
    for one in members:
        bury(owner=owner, kind=Kind.SCAFFOLD, fields={"path": path, "value": one})
    kept = leaf_of(profile, path) | {"value": rest}
    write_item(profile, ChangeItem(kind=Kind.SCAFFOLD, after=kept))
    save_profile(profile)
    _scrub(owner, Kind.SCAFFOLD, [{"path": path}])
    made = _by_person(owner, Act.DELETE, actor)
    _item(made, 0, Kind.SCAFFOLD, Act.DELETE, "person.delete").save()
    return made


def forget_what_was_said(*, owner: Owner, part: str, said: Sequence[Said]) -> None:
    """Delete for good what a part says no more, in the caller's transaction.

    Given as `{text}`, or `{path, value}` of a leaf: it is not said again, and no change keeps it.
    """
    for one in said:
        bury(owner=owner, kind=part, fields=one)
    _scrub(owner, part, said)


def _write(
    profile: LockedProfile,
    made: Changeset,
    part: str,
    sides: Sequence[tuple[Said | None, Said | None]],
) -> None:
    for place, (before, after) in enumerate(sides):
        item = _item(made, place, part, Act.EDIT, "person.edit")
        item.before, item.after = before, after
        write_item(profile, item)
        item.save()
    save_profile(profile)


def _by_person(owner: Owner, act: str, actor: str) -> Changeset:
    return Changeset.objects.create(
        owner=owner, origin=Changeset.Origin.PERSON, actor=actor, run_key=f"{act}:{new_id()}"
    )


def _item(made: Changeset, place: int, part: str, act: str, code: str) -> ChangeItem:
    return ChangeItem(
        changeset=made, place=place, kind=part, act=act, code=code, decided_by=made.actor
    )


def _check_part(part: str) -> None:
    if part not in EDITABLE:
        raise ItemUnfit(f"there is no part {part}", detail={"field": "part"})


def _check_version(profile: LockedProfile, part: str, version: int | None) -> None:
    rows = {
        Kind.NARRATIVE: profile.narrative,
        Kind.SCAFFOLD: profile.scaffold,
        Kind.LEARNED_INFO: profile.learned,
    }
    now = rows[Kind(part)].version
    if version is not None and version != now:
        raise ItemChanged(f"the {part} is in version {now}, not {version}", detail={"version": now})


Sides = Iterator[tuple[Said | None, Said | None]]


def _tell(profile: LockedProfile, fields: Mapping[str, object]) -> Sides:
    text = fields.get("text")
    is_fit = isinstance(text, str) and len(text) <= TEXT_CHARACTERS and "\0" not in text
    if fields.keys() != {"text"} or not is_fit or len(str(text).split()) > NARRATIVE_WORDS:
        raise ItemUnfit(f"text is at most {NARRATIVE_WORDS} words", detail={"field": "text"})
    now = timezone.now().isoformat()
    known = {str(one["text"]): one for one in profile.narrative.statements}
    theirs = {"since": now, "confirmed_at": now, "by": Channel.PERSON.value}
    told = [known.get(one, {"text": one, **theirs}) for one in sentences(str(text))]
    yield None, {"text": str(text).strip(), "statements": told}


def _place(profile: LockedProfile, fields: Mapping[str, object]) -> Sides:
    """Yield a person's leaves: first what goes, then what comes."""
    wanted = dict(profile.leaves)
    _check_apart(fields)
    for path, value in fields.items():
        _check_path(profile, path)
        wanted = {one: kept for one, kept in wanted.items() if not meets(one, [path])}
        if isinstance(value, dict) and value:
            wanted |= leaves(value, path)
        elif value is not None:
            wanted[path] = value
    _check_data(wanted)
    for path in profile.leaves.keys() - wanted.keys():
        yield None, {"path": path}
    now = timezone.now()
    for path, value in wanted.items():
        if meets(path, fields) and (profile.leaves.get(path) != value or path in fields):
            yield None, {"path": path, "value": value, "entry": by_person(now)}


def _list(profile: LockedProfile, fields: Mapping[str, object]) -> Sides:
    items = fields.get("items")
    if fields.keys() != {"items"} or not isinstance(items, list) or len(items) > MOST_LEARNED:
        raise ItemUnfit(
            f"items is a list of at most {MOST_LEARNED} texts", detail={"field": "items"}
        )
    if not all(isinstance(one, str) and one.strip() and "\0" not in one for one in items):
        raise ItemUnfit("each item is a text", detail={"field": "items"})
    wanted = {words(one): str(one).strip() for one in items}
    known = {words(one): one for one in profile.learned.items}
    for name in known.keys() - wanted.keys():
        yield {"text": known[name]}, None
    for name in wanted.keys() - known.keys():
        yield None, {"text": wanted[name]}


EDITS: Mapping[str, Callable[[LockedProfile, Mapping[str, object]], Sides]] = {
    Kind.NARRATIVE: _tell,
    Kind.SCAFFOLD: _place,
    Kind.LEARNED_INFO: _list,
}


def by_person(now: datetime) -> Said:
    """Return how sure a leaf is that a person wrote."""
    return {
        "confidence": 1.0,
        "channel": Channel.PERSON.value,
        "is_correction": False,
        "evidence": [],
        "is_sensitive": False,
        "observed_at": now.isoformat(),
    }


def _check_apart(paths: Iterable[str]) -> None:
    """Raise ItemUnfit where one place stands below another: one of the two would be lost."""
    found = list(paths)
    for path in found:
        if any(is_under(other, path) for other in found if other != path):
            raise ItemUnfit("one place stands below another", detail={"field": path})


def _check_path(profile: LockedProfile, path: str) -> None:
    detail = {"field": path[:KEY_CHARACTERS]}
    try:
        keys = keys_of(path)
    except ValueError as error:
        raise ItemUnfit("name a JSON Pointer, as /Places/Home", detail=detail) from error
    if (
        len(path) > PATH_CHARACTERS
        or "\0" in path
        or any(len(key) > KEY_CHARACTERS for key in keys)
    ):
        raise ItemUnfit("the pointer is too long", detail=detail)
    above = [one for one in profile.leaves if is_under(path, one) and one != path]
    if any(isinstance(profile.leaves[one], list) for one in above):
        raise ItemUnfit("a list changes as a whole", detail=detail)


def _check_data(wanted: Mapping[str, object]) -> None:
    too_deep = any(path.count("/") > MOST_DEPTH or len(path) > PATH_CHARACTERS for path in wanted)
    if too_deep or len(wanted) > MOST_LEAVES or _has_nul(list(wanted.values())):
        raise ItemUnfit("the profile would become too large", detail={"field": "scaffold"})
    built(wanted)


def _has_nul(value: object) -> bool:
    """Say whether a text anywhere within holds what no database keeps."""
    if isinstance(value, dict):
        return _has_nul([*value, *value.values()])
    if isinstance(value, list):
        return any(map(_has_nul, value))
    return isinstance(value, str) and "\0" in value


def _sentences_gone(profile: LockedProfile, names: Sequence[str]) -> Iterator[Said]:
    gone = {words(name) for name in names}
    for one in sentences(profile.narrative.text):
        if not names or words(one) in gone:
            yield {"text": one}


def _leaves_gone(profile: LockedProfile, names: Sequence[str]) -> Iterator[Said]:
    for path, value in profile.leaves.items():
        if not names or any(is_under(path, name) for name in names):
            yield {"path": path, "value": value}


def _texts_gone(profile: LockedProfile, names: Sequence[str]) -> Iterator[Said]:
    gone = {words(name) for name in names}
    for one in profile.learned.items:
        if not names or words(one) in gone:
            yield {"text": one}


ERASED: Mapping[str, Callable[[LockedProfile, Sequence[str]], Iterator[Said]]] = {
    Kind.NARRATIVE: _sentences_gone,
    Kind.SCAFFOLD: _leaves_gone,
    Kind.LEARNED_INFO: _texts_gone,
}


def _remove(profile: LockedProfile, part: str, gone: Sequence[Said]) -> None:
    if part == Kind.NARRATIVE:
        texts = {str(one["text"]) for one in gone}
        kept = [one for one in sentences(profile.narrative.text) if one not in texts]
        told = [one for one in profile.narrative.statements if one["text"] not in texts]
        after: Said = {"text": " ".join(kept), "statements": told}
        write_item(profile, ChangeItem(kind=part, after=after))
    for said in gone if part == Kind.SCAFFOLD else ():
        write_item(profile, ChangeItem(kind=part, after={"path": said["path"]}))
    for said in gone if part == Kind.LEARNED_INFO else ():
        write_item(profile, ChangeItem(kind=part, before=said))


def _scrub(owner: Owner, part: str, gone: Sequence[Said]) -> None:
    """Take the words of what is gone out of the changes and contradictions that kept them."""
    mine = ChangeItem.objects.filter(changeset__owner=owner, kind=part)
    paths = [str(one["path"]) for one in gone if "path" in one]
    texts = [str(one["text"]) for one in gone if "text" in one]
    found = [item.pk for item in mine.iterator() if _keeps(item, paths, texts)]
    mine.filter(pk__in=found).update(before=None, after=None, quote="", reason="")
    Contradiction.objects.filter(owner=owner, path__in=paths).delete()


def _keeps(item: ChangeItem, paths: Sequence[str], texts: Sequence[str]) -> bool:
    for side in (item.before, item.after):
        kept = side or {}
        if kept.get("path") in paths or any(text in str(kept.get("text", "")) for text in texts):
            return True
    return False
