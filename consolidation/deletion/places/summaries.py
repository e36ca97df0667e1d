"""What is cut out of texts that sum up many lines, when what one of them says is forgotten."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import or_

from django.db.models import F, Model, Q, QuerySet, TextField
from django.db.models.functions import Cast

from accounts.models import Owner
from consolidation.deletion.matcher import Matcher, matches, may_match, without
from consolidation.deletion.trace import Deletion, Finding, Trace
from knowledge import models as known
from knowledge.models import Arc, ChangeItem
from knowledge.notes.archives import reword_archive
from memory.models import CompactMarker, ReferenceSummary, Session, Snapshot

Fields = dict[str, object]
# What a snapshot keeps of a lane in words.
OF_LANE = ("summary", "facts")
Rows = QuerySet


@dataclass(frozen=True, slots=True)
class SummaryTable:
    """A table of such texts: the way from a row to its owner, and the columns of the texts."""

    model: type[Model]
    path: str
    texts: Sequence[str]
    write: Callable[[Rows, Fields], None]
    only: Mapping[str, str] = field(default_factory=dict)

    def rows(self, owner: Owner) -> Rows:
        found: Rows = QuerySet(self.model).filter(**self.only, **{self.path: owner})
        return found


def _find(deletion: Deletion) -> list[Finding]:
    """Return the texts of each row with what is deleted, and without it: `before` and `after`.

    The summaries of whole sessions go with them.
    """
    whole = {(cut["store"], cut["id"]): cut for cut in _whole(deletion)}
    cuts = (cut for store in SOURCES for cut in _cuts(deletion, store))
    return [*(cut for cut in cuts if (cut["store"], cut["id"]) not in whole), *whole.values()]


def _remove(deletion: Deletion, entries: Sequence[Finding]) -> None:
    """Cut, and take the words out of the changes that kept them.

    Snapshots go without them too: who puts a lane back to one is not told either.
    """
    for cut in entries:
        _write(deletion.owner, cut, _side(cut, "after"))
    arcs = [str(cut["id"]) for cut in entries if cut["store"] == "arc"]
    _scrub(deletion.owner, arcs, deletion.matchers)
    _scrub_snapshots(deletion)


def _restore(owner: Owner, entries: Sequence[Finding], actor: str) -> None:
    """Put back what was cut where nobody wrote anything else since."""
    for cut in entries:
        after = _side(cut, "after")
        rows = SOURCES[str(cut["store"])].rows(owner).filter(pk=cut["id"])
        if rows.values(*after).first() == after:
            _write(owner, cut, _side(cut, "before"))


def _write(owner: Owner, cut: Finding, fields: Fields) -> None:
    source = SOURCES[str(cut["store"])]
    source.write(source.rows(owner).filter(pk=cut["id"]), fields)


def _side(cut: Finding, name: str) -> Fields:
    side = cut[name]
    assert isinstance(side, dict)  # noqa: S101 - our own words
    return side


def _cut(store: str, row: object, before: Fields, after: Fields) -> Finding:
    return {"store": store, "id": str(row), "before": before, "after": after}


def _whole(deletion: Deletion) -> Iterator[Finding]:
    """Yield all that sums up whole sessions: their summaries, those of their folds, their archives."""
    owner, sessions = deletion.owner, deletion.sessions
    summed = Session.objects.filter(owner=owner, pk__in=sessions).exclude(summary="")
    for pk, summary in summed.values_list("pk", "summary"):
        yield _cut("session", pk, {"summary": summary}, {"summary": ""})
    folds = ReferenceSummary.objects.filter(window__session__in=sessions)
    for fold in SOURCES["summary"].rows(owner).filter(pk__in=folds):
        before: Fields = {"text": fold.text, "facts": fold.facts}
        yield _cut("summary", fold.pk, before, {"text": "", "facts": []})
    names = CompactMarker.objects.filter(session__in=sessions).values("archive_name")
    for archive in SOURCES["archive"].rows(owner).filter(names__name__in=names).distinct():
        yield _cut("archive", archive.pk, {"content": archive.content}, {"content": ""})


def _cuts(deletion: Deletion, store: str) -> Iterator[Finding]:
    source, matchers = SOURCES[store], deletion.matchers
    texts = {f"text_of_{name}": Cast(name, TextField()) for name in source.texts}
    may = reduce(or_, (may_match(column, matchers) for column in texts))
    rows = source.rows(deletion.owner).annotate(**texts).filter(may)
    for row in rows.order_by("pk").values("pk", *source.texts):
        before = {name: row[name] for name in source.texts}
        after = {name: cut_value(value, matchers) for name, value in before.items()}
        changed = [name for name in source.texts if before[name] != after[name]]
        if changed:
            sides = ({name: side[name] for name in changed} for side in (before, after))
            yield _cut(store, row["pk"], *sides)


def _without(entry: Finding, matchers: Sequence[Matcher]) -> Finding:
    """Return a cut as the act that is final has left the row."""
    sides = {
        name: {text: cut_value(value, matchers) for text, value in _side(entry, name).items()}
        for name in ("before", "after")
    }
    return entry | sides


def cut_value(value: object, matchers: Sequence[Matcher]) -> object:
    """Return a text without the sentences that tell, a list without such members."""
    if isinstance(value, str):
        return without(value, matchers)
    if isinstance(value, list):
        return [one for one in value if not matches(_words(one), matchers)]
    return value


def _words(member: object) -> str:
    """Return what a member of a list says: a text, or the key and the value of a fact."""
    if isinstance(member, dict):
        return f"{member.get('key', '')}: {member.get('value', '')}"
    return str(member)


def _scrub(owner: Owner, arcs: Sequence[str], matchers: Sequence[Matcher]) -> None:
    mine = ChangeItem.objects.filter(changeset__owner=owner, kind=ChangeItem.Kind.ARC)
    for item in mine.filter(target__in=arcs):
        item.before, item.after = (_cut_side(side, matchers) for side in (item.before, item.after))
        item.save(update_fields=["before", "after"])


def _scrub_snapshots(deletion: Deletion) -> None:
    matchers, sessions = deletion.matchers, deletion.sessions
    mine = Snapshot.objects.filter(session__owner=deletion.owner)
    may = may_match("summary", matchers) | may_match("text_of_lanes", matchers)
    rows = mine.annotate(text_of_lanes=Cast("lanes", TextField()))
    for row in rows.filter(may | Q(session__in=sessions)):
        cut = _emptied if row.session_id in sessions else partial(cut_value, matchers=matchers)
        row.summary = str(cut(row.summary))
        row.lanes = {
            name: lane | {text: cut(lane[text]) for text in OF_LANE if text in lane}
            for name, lane in row.lanes.items()
        }
        row.save(update_fields=["summary", "lanes"])


def _emptied(value: object) -> object:
    return [] if isinstance(value, list) else ""


def _cut_side(side: Fields | None, matchers: Sequence[Matcher]) -> Fields | None:
    texts = SOURCES["arc"].texts
    if side is None:
        return None
    return side | {name: cut_value(side[name], matchers) for name in texts if name in side}


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


SOURCES: Mapping[str, SummaryTable] = {
    "arc": SummaryTable(
        Arc, "owner", ("summary", "themes", "open_loops", "resolved_threads"), _write_arc
    ),
    "session": SummaryTable(Session, "owner", ("summary",), _write_session),
    "summary": SummaryTable(
        ReferenceSummary, "window__session__owner", ("text", "facts"), _write_summary
    ),
    "archive": SummaryTable(
        known.Entry, "owner", ("content",), _write_archive, {"kind": known.Entry.Kind.ARCHIVE}
    ),
}
SUMMARIES = Trace("cuts", _find, _remove, _restore, without=_without)
