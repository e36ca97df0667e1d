"""What a picture said of an item before it was corrected: taken out with the correction.

It stays in the changeset of the correction, so that taking that back brings it back; and goes for
good when the item is forgotten.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from uuid import UUID

from accounts.models import Owner
from knowledge.documents.items import document_as_json, forget_changes
from knowledge.items.tombstones import words
from knowledge.models import ChangeItem, Changeset, ContextDocument
from knowledge.profile.edit import forget_what_was_said
from knowledge.profile.items import (
    LockedProfile,
    Said,
    leaf_of,
    narrative_of,
    open_profile,
    save_profile,
    write_item,
)
from ranking.passages import sentences

Act, Kind = ChangeItem.Act, ChangeItem.Kind
OUTDATED = "person.outdated"
Sides = Iterator[tuple[str, Said | None, Said | None]]


def take_out(
    *,
    made: Changeset,
    parts: Mapping[str, Sequence[str]],
    members: Mapping[str, Sequence[str]],
    documents: Sequence[UUID],
) -> None:
    """Take sentences, pointers, texts and documents out of a picture, in the caller's transaction.

    `members` are those of lists that stay. All become items of a changeset that is there.
    """
    profile = open_profile(made.owner)
    place = made.items.count()
    for offset, (kind, before, after) in enumerate(_outdated(profile, parts, members)):
        item = _item(made, place + offset, kind)
        item.before, item.after = before, after
        write_item(profile, item)
        item.save()
    save_profile(profile)
    rows = ContextDocument.objects.filter(owner=made.owner, pk__in=documents)
    place = made.items.count()
    for offset, row in enumerate(rows.defer("embedding")):
        item = _item(made, place + offset, Kind.DOCUMENT)
        item.target, item.before = row.pk, document_as_json(row)
        item.save()
    rows.delete()


def forget_outdated(*, owner: Owner, kind: str, target: UUID) -> None:
    """Delete for good what the corrections of an item took out, in the caller's transaction."""
    of_item = ChangeItem.objects.filter(changeset__owner=owner, kind=kind, target=target)
    runs = of_item.values_list("changeset", flat=True)
    found = ChangeItem.objects.filter(code=OUTDATED, changeset__in=list(runs))
    told = {item.pk: item.after for item in found.filter(kind=Kind.NARRATIVE)}
    gone: set[str] = set()
    for part in (Kind.NARRATIVE, Kind.SCAFFOLD, Kind.LEARNED_INFO):
        said = [one for item in found.filter(kind=part) for one in _taken_out(item)]
        if said:
            forget_what_was_said(owner=owner, part=part, said=said)
            gone |= {str(one["text"]) for one in said if "text" in one}
    _say_what_was_left(told, gone)
    documents = found.filter(kind=Kind.DOCUMENT).values_list("target", flat=True)
    forget_changes(owner=owner, documents=[one for one in documents if one])


def _say_what_was_left(told: Mapping[int, Said | None], gone: Collection[str]) -> None:
    """Have a correction say again what it left of the narrative, without what is gone."""
    for pk, after in told.items():
        if after and not any(one in str(after["text"]) for one in gone):
            ChangeItem.objects.filter(pk=pk).update(after=after)


def _outdated(
    profile: LockedProfile, parts: Mapping[str, Sequence[str]], members: Mapping[str, Sequence[str]]
) -> Sides:
    """Yield each kind with what it says, and what it will say; None takes a thing out."""
    gone = set(map(words, parts[Kind.NARRATIVE]))
    told = sentences(profile.narrative.text)
    kept = [one for one in told if words(one) not in gone]
    if len(kept) < len(told):
        statements = [one for one in profile.narrative.statements if words(one["text"]) not in gone]
        yield (
            Kind.NARRATIVE,
            narrative_of(profile),
            {"text": " ".join(kept), "statements": statements},
        )
    for path in parts[Kind.SCAFFOLD]:
        if path in profile.leaves:
            yield Kind.SCAFFOLD, None, {"path": path}
    for path, gone_members in members.items():
        value = profile.leaves.get(path)
        if isinstance(value, list):
            rest = [one for one in value if one not in gone_members]
            yield Kind.SCAFFOLD, None, leaf_of(profile, path) | {"value": rest}
    for text in parts[Kind.LEARNED_INFO]:
        yield Kind.LEARNED_INFO, {"text": text}, None


def _taken_out(item: ChangeItem) -> list[Said]:
    before, after = item.before or {}, item.after or {}
    if item.kind == Kind.SCAFFOLD and isinstance(after.get("value"), list):
        # The list stays, without these.
        gone = [one for one in before.get("value", []) if one not in after["value"]]
        return [{"path": before["path"], "value": gone}]
    if item.kind != Kind.NARRATIVE:
        return [before] if before else []
    kept = set(sentences(str(after.get("text", ""))))
    told = sentences(str(before.get("text", "")))
    return [{"text": one} for one in told if one not in kept]


def _item(made: Changeset, place: int, kind: str) -> ChangeItem:
    act = Act.EDIT if kind == Kind.NARRATIVE else Act.RETIRE
    return ChangeItem(
        changeset=made, place=place, kind=kind, act=act, code=OUTDATED, decided_by=made.actor
    )
