"""Facts, arcs and rules: what a person chooses to forget, with their words wherever changes kept them."""

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from accounts.ids import new_id
from accounts.models import Owner
from consolidation.deletion.trace import Deletion, Finding, Trace
from knowledge.changes.apply import Evidence, ItemChange, apply_changes, delete_item
from knowledge.items.rows import LEARNED, Item, build_item, snapshot
from knowledge.models import ChangeItem, Changeset
from knowledge.profile.outdated import forget_outdated

Act = ChangeItem.Act
KINDS: Mapping[type[Item], str] = {model: kind for kind, model in LEARNED.items()}
CODE = "person.take_back"


def item_of(owner: Owner, entry: Finding) -> Item:
    """Return the item that an entry keeps, unsaved."""
    return build_item(owner, str(entry["kind"]), UUID(str(entry["id"])), _mapping(entry["fields"]))


def versions_of(owner: Owner, entry: Finding) -> Iterator[Item]:
    """Yield the item that an entry keeps, and what it said before it was changed."""
    fields = _mapping(entry["fields"])
    for before in ({}, *_earlier(entry)):
        yield item_of(owner, entry | {"fields": {**fields, **before}})


def _find(deletion: Deletion) -> list[Finding]:
    return [_entry(deletion.owner, row) for row in deletion.items]


def _entry(owner: Owner, row: Item) -> Finding:
    edits = ChangeItem.objects.filter(changeset__owner=owner, target=row.pk, act=Act.EDIT)
    return {
        "kind": KINDS[type(row)],
        "id": str(row.pk),
        "fields": snapshot(row),
        "earlier": [edit.before for edit in edits if edit.before is not None],
    }


def _remove(deletion: Deletion, entries: Sequence[Finding]) -> None:
    versions = {str(one.id): one.version for one in deletion.targets}
    for entry in entries:
        kind, target = str(entry["kind"]), UUID(str(entry["id"]))
        delete_item(
            owner=deletion.owner,
            kind=kind,
            target=target,
            actor=deletion.actor,
            version=versions.get(str(target)),
        )
        forget_outdated(owner=deletion.owner, kind=kind, target=target)


def _restore(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    if not entries:
        return
    made = apply_changes(
        owner=owner,
        origin=Changeset.Origin.PERSON,
        run_key=f"take_back:{new_id()}",
        changes=list(map(_change, entries)),
        actor=actor,
    )
    ChangeItem.objects.bulk_create(_edits(made, entries))


def _change(entry: Finding) -> ItemChange:
    return ItemChange(
        kind=str(entry["kind"]),
        act=Act.ADD,
        target=UUID(str(entry["id"])),
        fields=_mapping(entry["fields"]),
        evidence=Evidence("", "", ""),
        code=CODE,
        reason="",
        policy_version="",
    )


def _edits(made: Changeset, entries: Sequence[Finding]) -> Iterator[ChangeItem]:
    """Yield what items said before edits: who forgets them again forgets that as well."""
    edits = [(entry, before) for entry in entries for before in _earlier(entry)]
    for place, (entry, before) in enumerate(edits, start=made.items.count()):
        yield ChangeItem(
            changeset=made,
            place=place,
            kind=str(entry["kind"]),
            act=Act.EDIT,
            target=UUID(str(entry["id"])),
            before=before,
            code=CODE,
            decided_by=made.actor,
        )


def _earlier(entry: Finding) -> list[dict[str, object]]:
    before = entry["earlier"]
    assert isinstance(before, list)  # noqa: S101 - our own words
    return before


def _mapping(value: object) -> dict[str, object]:
    assert isinstance(value, dict)  # noqa: S101 - our own words
    return value


ITEMS = Trace("items", _find, _remove, _restore, kinds=tuple(LEARNED), is_chosen=True)
