"""An export read back: every row of it checked, before anything is written."""

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zipfile import BadZipFile

from django.db.models import Model

from consolidation.errors import ImportOfAnother, ImportTooLarge, ImportUnfit
from consolidation.portable.export import FORMAT, VERSION
from consolidation.portable.parts import FILES, PARTS, left_out
from consolidation.portable.reading.checking import Row, checked_rows, id_of, text_of
from consolidation.portable.reading.shapes import check_shapes
from knowledge import models as known
from memory.models import Event, Session
from memory.strict_json import InvalidJson, read_json

# Of a request; a command reads what fits into the memory.
MOST_BYTES = 16 * 1024 * 1024
MOST_ROWS = 500_000
INSIDE = "memory.json"
LONGEST_NAME = 255
# What reading a zip fails with where a byte is another, it is cut short, sealed, or packed anew.
BROKEN = (
    BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ArithmeticError,
    LookupError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    struct.error,
)
# An event is told with the reference that what was learned from it names.
EXTRA: Mapping[type[Model], frozenset[str]] = {Event: frozenset({"reference"})}


@dataclass(frozen=True, slots=True)
class Export:
    """What an export tells of one person as one agent knows them, checked.

    `left` counts the rows by section of what is not taken in. `is_kept_apart`: no other agent may
    read it.
    """

    user: str
    sections: Mapping[type[Model], Sequence[Row]]
    files: Sequence[Row]
    left: Mapping[str, int]
    is_kept_apart: bool = False

    def rows(self, model: type[Model]) -> Sequence[Row]:
        return self.sections.get(model, ())

    @property
    def total(self) -> int:
        return sum(map(len, self.sections.values())) + len(self.files)


def read_export(data: bytes, *, agent: str, most: int | None = None) -> Export:
    """Read an export, as JSON or in its zip; of several agents' the one of this slug.

    Raises ImportTooLarge or ImportUnfit: then it is no export, or not a whole one.
    """
    document = _document(_unpacked(data, most))
    if document.get("format") != FORMAT:
        raise ImportUnfit("the file is no export of a person")
    if document.get("version") != VERSION:
        raise ImportUnfit(f"the file is of another version than {VERSION}")
    user, told = document.get("user"), document.get("sections")
    if not isinstance(user, str) or len(user) > LONGEST_NAME or not isinstance(told, dict):
        raise ImportUnfit("the file names no person, or has no sections")
    chosen, all_of = _owners(document.get("agents"), agent)
    sections = {
        PARTS[name].model: _of_owner(name, rows, chosen, all_of)
        for name, rows in _lists(told)
        if name in PARTS
    }
    left = {name: len(rows) for name, rows in _lists(told) if name in left_out() and rows}
    is_apart = _is_kept_apart(document.get("kept_apart", []), chosen)
    export = Export(user, sections, _files(told, chosen, all_of), left, is_apart)
    _check_whole(export)
    check_shapes(export.sections)
    return export


def check_person(export: Export, *, key: str, of: str) -> None:
    """Raise ImportOfAnother unless the file is of the person, or of whom the caller says."""
    if export.user not in {key, of}:
        raise ImportOfAnother("the file is of somebody who has another name here")


def _unpacked(data: bytes, most: int | None) -> bytes:
    if most is not None and len(data) > most:
        raise ImportTooLarge(f"a file is at most {most} bytes")
    if not data.startswith(b"PK"):
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(INSIDE) as part:
            # Read by what comes out, not by what the zip says: it may say anything.
            found = part.read() if most is None else part.read(most + 1)
    except BROKEN as error:
        raise ImportUnfit(f"the zip is broken, or has no {INSIDE}") from error
    if most is not None and len(found) > most:
        raise ImportTooLarge(f"{INSIDE} is at most {most} bytes")
    return found


def _document(data: bytes) -> Mapping[str, object]:
    try:
        found = read_json(data)
    except InvalidJson as error:
        raise ImportUnfit(f"the file cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise ImportUnfit("the file is no object")
    return found


def _owners(agents: object, slug: str) -> tuple[int, frozenset[int]]:
    """Return the number under which the file knows the person, and all that it names."""
    if not isinstance(agents, dict) or not all(isinstance(one, str) for one in agents.values()):
        raise ImportUnfit("the file does not say which agent knew the person")
    try:
        named = {int(number): str(one) for number, one in agents.items()}
    except ValueError as error:
        raise ImportUnfit("the file does not say which agent knew the person") from error
    found = list(named) if len(named) == 1 else [one for one in named if named[one] == slug]
    if len(found) != 1:
        raise ImportUnfit(
            "the file is of several agents, and of none of this name",
            hint="Export the person as one agent knows them, and import that.",
        )
    return found[0], frozenset(named)


def _is_kept_apart(told: object, chosen: int) -> bool:
    if not isinstance(told, list) or not all(type(one) is int for one in told):
        raise ImportUnfit("the file does not say what other agents may not read")
    return chosen in told


def _lists(told: Mapping[str, object]) -> list[tuple[str, list[object]]]:
    found: list[tuple[str, list[object]]] = []
    for name, rows in told.items():
        if name not in PARTS and name not in left_out() and name != FILES:
            raise ImportUnfit("the file has a section that there is not")
        if not isinstance(rows, list) or len(rows) > MOST_ROWS:
            raise ImportUnfit(f"{name} is no list, or one of more than {MOST_ROWS} rows")
        found.append((name, rows))
    return found


def _of_owner(
    name: str, rows: Sequence[object], chosen: int, all_of: frozenset[int]
) -> Sequence[Row]:
    model = PARTS[name].model
    found = checked_rows(model, name, rows, EXTRA.get(model, frozenset()))
    for place, row in enumerate(found):
        if row["owner_id"] not in all_of:
            where: dict[str, str | int] = {"section": name, "row": place}
            raise ImportUnfit(f"row {place} of {name} is somebody else's", detail=where)
    return [row for row in found if row["owner_id"] == chosen]


def _files(
    told: Mapping[str, object], chosen: int, all_of: frozenset[int]
) -> Sequence[Mapping[str, object]]:
    rows = told.get(FILES, [])
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    for row in found:
        owner = row.get("owner_id")
        is_ours = type(owner) is int and owner in all_of
        if not is_ours or not isinstance(row.get("name"), str):
            raise ImportUnfit("a file is somebody else's, or has no name")
        if not isinstance(row.get("text"), str):
            raise ImportUnfit("a file has no text")
    return [row for row in found if row["owner_id"] == chosen]


def _check_whole(export: Export) -> None:
    """Raise ImportUnfit where a row is of one that the file has not got."""
    sessions = {id_of(row) for row in export.rows(Session)}
    if any(row.get("session_id") not in sessions for row in export.rows(Event)):
        raise ImportUnfit("an event is of a session that is not in the file")
    entries = {row["id"] for row in export.rows(known.Entry)}
    if any(row.get("entry_id") not in entries for row in export.rows(known.EntryName)):
        raise ImportUnfit("a name is of a note that is not in the file")
    from_places = [
        (row["session_id"], text_of(row, "lane"), row.get("seq")) for row in export.rows(Event)
    ]
    if len(set(from_places)) < len(from_places):
        raise ImportUnfit("two events have one place")
