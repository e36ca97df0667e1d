"""What an export tells of a person, made part of their memory: as items of one changeset."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from accounts.driver import run
from accounts.models import Owner
from knowledge.changes.approval import policies_for
from knowledge.changes.perform import perform
from knowledge.items.rows import LEARNED, build_item, lock_memory, snapshot
from knowledge.items.tombstones import buried_among, words
from knowledge.models import ApprovalPolicy, Arc, ChangeItem, Changeset, Entity, Fact, Rule

Act, Kind = ChangeItem.Act, ChangeItem.Kind
CODE = "import"
BATCH = 500
# An insert writes the time that it is: what was told is put in its place.
TIMES = {
    kind: f"""
update {model._meta.db_table} old set created_at = told.made, last_referenced_at = told.used
from unnest(%s::uuid[], %s::timestamptz[], %s::timestamptz[]) as told (id, made, used)
where old.id = told.id
"""  # noqa: S608, SLF001 - a name of our own table
    for kind, model in LEARNED.items()
}
Said = tuple[str, ...]


@dataclass(slots=True)
class ImportTally:
    """What became of the rows of a section.

    `known` is there already, `forgotten` was deleted by the person here, `unwanted` is of a kind
    that they never want remembered.
    """

    added: int = 0
    known: int = 0
    forgotten: int = 0
    unwanted: int = 0

    def counts(self) -> dict[str, int]:
        return {name: count for name, count in asdict(self).items() if count}


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """An item as it is told of: with the id and times that it is to have.

    `session` is the id that an arc's session had where it comes from, None for none.
    """

    id: UUID
    fields: Mapping[str, object]
    created_at: datetime
    last_referenced_at: datetime
    session: UUID | None = None


class Intake:
    """One changeset of what comes in, under the owner's lock; its items in their order.

    Of a trial facts, arcs and rules are counted and not written: it is taken back anyway.
    """

    def __init__(self, owner: Owner, run_key: str, actor: str, *, is_trial: bool = False) -> None:
        self.is_trial = is_trial
        lock_memory(owner)
        self.owner = owner
        self.made = Changeset.objects.create(
            owner=owner, origin=Changeset.Origin.IMPORT, actor=actor, run_key=run_key
        )
        self.place = 0

    def item(self, kind: str, act: str, **fields: object) -> ChangeItem:
        """Return the next item, unsaved."""
        made = ChangeItem(
            changeset=self.made, place=self.place, kind=kind, act=act, code=CODE, **fields
        )
        made.decided_by = self.made.actor
        self.place += 1
        return made

    def close(self) -> Changeset | None:
        """Return the changeset; None, and no trace of it, where nothing came in."""
        if self.place:
            return self.made
        self.made.delete()
        return None


def take_items(intake: Intake, kind: str, told: Sequence[ImportedItem]) -> ImportTally:
    """Add facts, arcs or rules that are neither there, nor forgotten, nor unwanted."""
    tally, model, owner = ImportTally(), LEARNED[kind], intake.owner
    there = set(_there(intake, kind, told))
    said = {_says(row) for row in model.objects.filter(owner=owner).active()}
    gone = buried_among(owner=owner, kind=kind, items=[one.fields for one in told])
    # An arc is known by its session: by the name that it has here, or had where it comes from.
    was = [{"session": one.session or one.fields.get("session")} for one in told]
    before = buried_among(owner=owner, kind=kind, items=was if kind == Kind.ARC else [])
    never = {
        name for name, one in policies_for(owner).items() if one.mode == ApprovalPolicy.Mode.NEVER
    }
    rows: list[tuple[Fact | Arc | Rule | Entity, ImportedItem]] = []
    for place, one in enumerate(told):
        row = build_item(owner, kind, one.id, one.fields)
        if one.id in there or (row.is_active and _says(row) in said):
            tally.known += 1
        elif gone[place] or (before and before[place]):
            tally.forgotten += 1
        elif (row.category if isinstance(row, Fact) else kind) in never:
            tally.unwanted += 1
        else:
            rows.append((row, one))
    if not intake.is_trial:
        _write(intake, kind, rows)
    tally.added = len(rows)
    return tally


def set_recall(intake: Intake, wanted: bool) -> ImportTally:
    """Let past conversations be brought up as they were; what was chosen here stays."""
    mine = ChangeItem.objects.filter(changeset__owner=intake.owner, kind=Kind.PROFILE)
    if not wanted:
        return ImportTally()
    if mine.exists():
        return ImportTally(known=1)
    item = intake.item(Kind.PROFILE, Act.EDIT, after={"proactive_recall_enabled": True})
    perform(intake.owner, item)
    item.save()
    return ImportTally(added=1)


def _there(intake: Intake, kind: str, told: Sequence[ImportedItem]) -> Sequence[UUID]:
    """Return the ids of what is there; of arcs, also those whose session has one."""
    model = LEARNED[kind]
    mine = model.objects.filter(owner=intake.owner, pk__in=[one.id for one in told])
    found = list(mine.values_list("pk", flat=True))
    if kind != Kind.ARC:
        return found
    sessions = {one.fields["session"]: one.id for one in told}
    taken = Arc.objects.filter(owner=intake.owner, session__in=list(sessions))
    return [*found, *(sessions[one] for one in taken.values_list("session", flat=True))]


def _says(row: object) -> Said:
    """Return what an item says, so that it is not said twice; an arc is one of a session's."""
    if isinstance(row, Fact):
        return (row.category, words(row.subject), row.predicate, words(row.object))
    if isinstance(row, Rule):
        return (words(row.text),)
    return (str(getattr(row, "session", "")),)


def _write(
    intake: Intake, kind: str, rows: Sequence[tuple[Fact | Arc | Rule | Entity, ImportedItem]]
) -> None:
    table: QuerySet = QuerySet(LEARNED[kind])
    made = [row for row, _ in rows]
    table.bulk_create(made, batch_size=BATCH)
    if rows:
        times = ([one.created_at for _, one in rows], [one.last_referenced_at for _, one in rows])
        run(TIMES[kind], ([row.pk for row in made], *times))
    items = [
        intake.item(
            kind,
            Act.ADD,
            target=row.pk,
            after=snapshot(row),
            quote=getattr(row, "evidence_quote", ""),
            confidence=getattr(row, "confidence", ""),
        )
        for row in made
    ]
    ChangeItem.objects.bulk_create(items, batch_size=BATCH)
