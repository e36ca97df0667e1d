"""What is cut out of texts that sum up many lines, when what one of them says is forgotten."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial, reduce
from operator import or_
from typing import Self
from uuid import UUID

from django.db.models import F, Model, Q, QuerySet, TextField
from django.db.models.functions import Cast

from accounts.models import Owner
from consolidation.deletion.matcher import Telling, may_tell, tells, without
from knowledge.models import Arc, ChangeItem, Entry
from knowledge.notes.archives import reword_archive
from memory.models import CompactMarker, ReferenceSummary, Session, Snapshot

Fields = dict[str, object]
# What a snapshot keeps of a lane in words.
OF_LANE = ("summary", "facts")
Rows = QuerySet


@dataclass(frozen=True, slots=True)
class Cut:
    """Texts of one row, with what is forgotten and without."""

    store: str
    id: str
    before: Fields
    after: Fields

    @classmethod
    def read(cls, stored: Mapping[str, object]) -> Self:
        """Return a cut as it was stored."""
        before, after = stored["before"], stored["after"]
        assert isinstance(before, dict) and isinstance(after, dict)  # noqa: S101, PT018 - our own
        return cls(str(stored["store"]), str(stored["id"]), before, after)

    @property
    def stored(self) -> Fields:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Source:
    """A table of such texts: the way from a row to its owner, and the columns of the texts."""

    model: type[Model]
    path: str
    texts: Sequence[str]
    write: Callable[[Rows, Fields], None]
    only: Mapping[str, str] = field(default_factory=dict)

    def rows(self, owner: Owner) -> Rows:
        found: Rows = QuerySet(self.model).filter(**self.only, **{self.path: owner})
        return found


def find_cuts(
    owner: Owner, tellings: Sequence[Telling], sessions: Collection[UUID] = ()
) -> list[Cut]:
    """Return what is to be cut; the summaries of whole `sessions` go with them."""
    whole = {(cut.store, cut.id): cut for cut in _whole(owner, sessions)}
    found = (cut for name in SOURCES for cut in _cuts(owner, name, tellings))
    return [*(cut for cut in found if (cut.store, cut.id) not in whole), *whole.values()]


def make_cuts(
    owner: Owner,
    cuts: Sequence[Cut],
    tellings: Sequence[Telling],
    sessions: Collection[UUID] = (),
) -> None:
    """Cut, in the caller's transaction, and take the words out of the changes that kept them.

    Snapshots go without them too: who puts a lane back to one is not told either.
    """
    for cut in cuts:
        _write(owner, cut, cut.after)
    _scrub(owner, [cut.id for cut in cuts if cut.store == "arc"], tellings)
    _scrub_snapshots(owner, tellings, sessions)


def undo_cuts(owner: Owner, cuts: Sequence[Cut]) -> None:
    """Put back what was cut, in the caller's transaction, where nobody wrote anything else since."""
    for cut in cuts:
        now = _source(cut).rows(owner).filter(pk=cut.id).values(*cut.after).first()
        if now == cut.after:
            _write(owner, cut, cut.before)


def _write(owner: Owner, cut: Cut, fields: Fields) -> None:
    source = _source(cut)
    source.write(source.rows(owner).filter(pk=cut.id), fields)


def _source(cut: Cut) -> Source:
    return SOURCES[cut.store]


def _whole(owner: Owner, sessions: Collection[UUID]) -> Iterator[Cut]:
    """Yield all that sums up whole sessions: their summaries, those of their folds, their archives."""
    said = Session.objects.filter(owner=owner, pk__in=sessions).exclude(summary="")
    for pk, summary in said.values_list("pk", "summary"):
        yield Cut("session", str(pk), {"summary": summary}, {"summary": ""})
    folds = ReferenceSummary.objects.filter(window__session__in=sessions)
    for fold in SOURCES["summary"].rows(owner).filter(pk__in=folds):
        before: Fields = {"text": fold.text, "facts": fold.facts}
        yield Cut("summary", str(fold.pk), before, {"text": "", "facts": []})
    names = CompactMarker.objects.filter(session__in=sessions).values("archive_name")
    for archive in SOURCES["archive"].rows(owner).filter(names__name__in=names).distinct():
        yield Cut("archive", str(archive.pk), {"content": archive.content}, {"content": ""})


def _cuts(owner: Owner, name: str, tellings: Sequence[Telling]) -> Iterator[Cut]:
    source = SOURCES[name]
    said = {f"said_{text}": Cast(text, TextField()) for text in source.texts}
    may = reduce(or_, (may_tell(column, tellings) for column in said))
    rows = source.rows(owner).annotate(**said).filter(may)
    for row in rows.order_by("pk").values("pk", *source.texts):
        before = {text: row[text] for text in source.texts}
        after = {text: cut_value(value, tellings) for text, value in before.items()}
        changed = [text for text in source.texts if before[text] != after[text]]
        if changed:
            sides = ({text: side[text] for text in changed} for side in (before, after))
            yield Cut(name, str(row["pk"]), *sides)


def cut_value(value: object, tellings: Sequence[Telling]) -> object:
    """Return a text without the sentences that tell, a list without such members."""
    if isinstance(value, str):
        return without(value, tellings)
    if isinstance(value, list):
        return [one for one in value if not tells(_words(one), tellings)]
    return value


def _words(member: object) -> str:
    """Return what a member of a list says: a text, or the key and the value of a fact."""
    if isinstance(member, dict):
        return f"{member.get('key', '')}: {member.get('value', '')}"
    return str(member)


def _scrub(owner: Owner, arcs: Sequence[str], tellings: Sequence[Telling]) -> None:
    mine = ChangeItem.objects.filter(changeset__owner=owner, kind=ChangeItem.Kind.ARC)
    for item in mine.filter(target__in=arcs):
        item.before, item.after = (_cut_side(side, tellings) for side in (item.before, item.after))
        item.save(update_fields=["before", "after"])


def _scrub_snapshots(owner: Owner, tellings: Sequence[Telling], sessions: Collection[UUID]) -> None:
    said = Snapshot.objects.filter(session__owner=owner).annotate(said=Cast("lanes", TextField()))
    told = may_tell("summary", tellings) | may_tell("said", tellings)
    for row in said.filter(told | Q(session__in=sessions)):
        cut = _emptied if row.session_id in sessions else partial(cut_value, tellings=tellings)
        row.summary = str(cut(row.summary))
        row.lanes = {
            name: lane | {text: cut(lane[text]) for text in OF_LANE if text in lane}
            for name, lane in row.lanes.items()
        }
        row.save(update_fields=["summary", "lanes"])


def _emptied(value: object) -> object:
    return [] if isinstance(value, list) else ""


def _cut_side(side: Fields | None, tellings: Sequence[Telling]) -> Fields | None:
    texts = SOURCES["arc"].texts
    if side is None:
        return None
    return side | {name: cut_value(side[name], tellings) for name in texts if name in side}


def _write_arc(rows: Rows, fields: Fields) -> None:
    """Write an arc's texts. One whose summary is gone has nothing to say, and is hidden."""
    if "summary" in fields:
        fields = fields | {"user_visible": bool(fields["summary"])}
    rows.update(**fields, version=F("version") + 1, embedding=None, space=None)


def _write_session(rows: Rows, fields: Fields) -> None:
    rows.update(**fields)


def _write_summary(rows: Rows, fields: Fields) -> None:
    # A delta that was made for the text before is refused.
    rows.update(**fields, version=F("version") + 1)


def _write_archive(rows: Rows, fields: Fields) -> None:
    for entry in rows.select_related("owner"):
        reword_archive(entry=entry, content=str(fields["content"]))


SOURCES: Mapping[str, Source] = {
    "arc": Source(
        Arc, "owner", ("summary", "themes", "open_loops", "resolved_threads"), _write_arc
    ),
    "session": Source(Session, "owner", ("summary",), _write_session),
    "summary": Source(
        ReferenceSummary, "window__session__owner", ("text", "facts"), _write_summary
    ),
    "archive": Source(Entry, "owner", ("content",), _write_archive, {"kind": Entry.Kind.ARCHIVE}),
}
