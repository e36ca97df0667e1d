"""The picture of a person as an export tells it: what nobody has written here yet."""

from collections.abc import Mapping, Sequence

from knowledge.imports.items import Act, ImportTally, Intake, Kind
from knowledge.items.tombstones import buried_among, words
from knowledge.models import ChangeItem
from knowledge.profile.items import LockedProfile, Said, open_profile, save_profile, write_item
from knowledge.profile.pointers import Data, leaves, meets
from ranking.passages import sentences

Entries = Mapping[str, Said]


def take_picture(
    intake: Intake,
    *,
    narrative: tuple[str, Sequence[Mapping[str, object]]],
    scaffold: Data,
    entries: Entries,
    learned: Sequence[str],
) -> dict[str, ImportTally]:
    """Write each part where nothing stands; what stands here was written later, and stays.

    `narrative` is its text and its statements, `entries` says of a leaf by its pointer how sure it is.
    """
    profile = open_profile(intake.owner)
    found = {
        Kind.NARRATIVE.value: _tell(intake, profile, *narrative),
        Kind.SCAFFOLD.value: _place(intake, profile, scaffold, entries),
        Kind.LEARNED_INFO.value: _learn(intake, profile, learned),
    }
    save_profile(profile)
    return found


def _tell(
    intake: Intake, profile: LockedProfile, text: str, statements: Sequence[Mapping[str, object]]
) -> ImportTally:
    if not text or profile.narrative.text:
        return ImportTally(known=int(bool(text)))
    said = sentences(text)
    gone = _gone(intake, Kind.NARRATIVE, [{"text": one} for one in said])
    kept = [one for one, is_gone in zip(said, gone, strict=True) if not is_gone]
    tally = ImportTally(added=int(bool(kept)), forgotten=sum(gone))
    if kept:
        lost = {words(one) for one, is_gone in zip(said, gone, strict=True) if is_gone}
        told = [one for one in statements if words(one["text"]) not in lost]
        whole = " ".join(kept) if lost else text
        _write(intake, profile, Kind.NARRATIVE, {"text": whole, "statements": told})
    return tally


def _place(intake: Intake, profile: LockedProfile, data: Data, entries: Entries) -> ImportTally:
    told = leaves(data)
    tally, there = ImportTally(), list(profile.leaves)
    gone = _gone(intake, Kind.SCAFFOLD, [{"path": path, "value": told[path]} for path in told])
    for (path, value), is_gone in zip(told.items(), gone, strict=True):
        if meets(path, there):
            tally.known += 1
        elif is_gone:
            tally.forgotten += 1
        else:
            entry = {"entry": entries[path]} if path in entries else {}
            _write(intake, profile, Kind.SCAFFOLD, {"path": path, "value": value} | entry)
            tally.added += 1
    return tally


def _learn(intake: Intake, profile: LockedProfile, learned: Sequence[str]) -> ImportTally:
    tally, there = ImportTally(), {words(one) for one in profile.learned.items}
    gone = _gone(intake, Kind.LEARNED_INFO, [{"text": one} for one in learned])
    for text, is_gone in zip(learned, gone, strict=True):
        if words(text) in there:
            tally.known += 1
        elif is_gone:
            tally.forgotten += 1
        else:
            _write(intake, profile, Kind.LEARNED_INFO, {"text": text})
            there.add(words(text))
            tally.added += 1
    return tally


def _gone(intake: Intake, kind: str, items: Sequence[Said]) -> list[bool]:
    return buried_among(owner=intake.owner, kind=kind, items=items)


def _write(intake: Intake, profile: LockedProfile, kind: str, after: Said) -> None:
    item: ChangeItem = intake.item(kind, Act.EDIT, after=after)
    write_item(profile, item)
    item.save()
