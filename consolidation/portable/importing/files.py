"""The files of a workspace, written where an agent has written nothing yet."""

from accounts.models import Owner
from consolidation.portable.reading.checking import text_of
from consolidation.portable.reading.document import Export
from knowledge.imports.items import ImportTally
from knowledge.workspace.files import read_file, write_file
from knowledge.workspace.names import MOST_CHARACTERS, WRITABLE, File, written


def take_files(owner: Owner, export: Export, *, keeps: bool) -> ImportTally:
    """Write the files that agents write, where they are as they began; without `keeps` only count."""
    tally = ImportTally()
    for row in export.files:
        name, text = text_of(row, "name"), text_of(row, "text")
        # One that is as it began says nothing; the others are added to by what happens.
        if name not in WRITABLE or len(text) > MOST_CHARACTERS or not written(File(name), text):
            continue
        if written(File(name), read_file(owner=owner, name=name)):
            tally.known += 1
            continue
        tally.added += 1
        if keeps:
            write_file(owner=owner, name=name, text=text)
    return tally
