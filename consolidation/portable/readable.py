"""The same export for a person to read: one page without scripts, beside the JSON in a zip."""

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO

from django.template.loader import render_to_string

from accounts.models import Owner
from consolidation.portable.export import Row, exported, files_of, head_of, rows_of, sections

# A larger one is written to the disk, and goes when it is closed.
IN_MEMORY = 8 * 1024 * 1024
# A page of more rows is slow to open in a browser; the JSON has them all.
MOST_ROWS = 2_000


def page_of(owners: Sequence[Owner]) -> Iterator[str]:
    """Return the pieces of the page; every text in it is escaped."""
    yield render_to_string("portable/head.html", head_of(owners))
    for name, store in sections():
        rows = [
            shown(row) for row, _ in zip(rows_of(store, owners), range(MOST_ROWS), strict=False)
        ]
        yield render_to_string("portable/section.html", _section(name, rows))
    yield render_to_string(
        "portable/section.html", _section("files", [shown(row) for row in files_of(owners)])
    )
    yield render_to_string("portable/foot.html")


def zipped(owners: Sequence[Owner]) -> IO[bytes]:
    """Return an open zip of both; whoever gets it closes it."""
    # The caller's to close, when it is sent.
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("memory.json", "w") as part:
            for piece in exported(owners):
                part.write(piece)
        with archive.open("memory.html", "w") as part:
            for text in page_of(owners):
                part.write(text.encode())
    file.seek(0)
    return file


def shown(row: Row) -> list[tuple[str, object]]:
    """Return what of a row says anything, with the field's name in words."""
    return [(name.replace("_", " "), value) for name, value in row.items() if value not in EMPTY]


EMPTY: tuple[object, ...] = (None, "", [], {})


def _section(name: str, rows: Sequence[object]) -> dict[str, object]:
    return {"name": name.replace("_", " "), "rows": rows, "is_cut": len(rows) == MOST_ROWS}
