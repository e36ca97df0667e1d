"""An owner's notes as files below /memories, with archives and the profile to be read only."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import orjson
from django.db import transaction
from django.db.models import Func, IntegerField

from accounts.models import Owner
from knowledge.errors import CommandRefused
from knowledge.models import Entry, LearnedInfo, Scaffold, UserNarrative
from knowledge.notes.entries.names import check_name
from knowledge.notes.files.editing import inserted, numbered, replaced
from knowledge.notes.files.paths import (
    ARCHIVES,
    DIVISION,
    PROFILE,
    ROOT,
    EntryPath,
    file_path,
    listing,
    place_of,
)
from knowledge.notes.store import find_entry, lock_entries
from knowledge.notes.write import add_note, amend_note, put_note, remove_note


@dataclass(frozen=True, slots=True)
class MemoryFolder:
    """The files of one owner, for one actor. Whatever is refused is CommandRefused.

    Changes join the caller's transaction, and wait there for others of the same owner. `remove` deletes
    a note, called as remove_note is.
    """

    owner: Owner | None
    actor: str
    remove: Callable[..., Entry] = remove_note

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Return a file's lines with their numbers, or a folder's listing."""
        place = place_of(path)
        content = self._read(place)
        if content is not None:
            return numbered(path, content, view_range)
        held = self._below(place)
        if not (held or place.is_root):
            raise CommandRefused(f"The path {path} does not exist. Please provide a valid path.")
        return listing(place, held)

    @transaction.atomic
    def create(self, path: str, text: str) -> str:
        place, owner = self._to_change(path)
        is_folder = place.is_root or self._names_below(place)
        if is_folder or find_entry(owner=owner, name=place.name):
            raise CommandRefused(f"File {path} already exists")
        _check_parts(place)
        add_note(owner=owner, actor=self.actor, name=place.name, content=text)
        return f"File created successfully at: {path}"

    @transaction.atomic
    def str_replace(self, path: str, old: str, new: str) -> str:
        place, owner = self._to_change(path)
        text, told = replaced(path, self._content(place), old, new)
        put_note(owner=owner, actor=self.actor, name=place.name, content=text)
        return told

    @transaction.atomic
    def insert(self, path: str, line: int, text: str) -> str:
        place, owner = self._to_change(path)
        whole, told = inserted(path, self._content(place), line, text)
        put_note(owner=owner, actor=self.actor, name=place.name, content=whole)
        return told

    @transaction.atomic
    def delete(self, path: str) -> str:
        """Delete a file, or a folder with all it holds."""
        place, owner = self._to_change(path)
        if place.is_root:
            raise CommandRefused("Cannot delete the /memories directory itself")
        note = self._note(place)
        names = [note.name] if note else self._names_below(place)
        if not names:
            raise CommandRefused(f"The path {path} does not exist")
        for name in names:
            self.remove(owner=owner, actor=self.actor, name=name)
        return f"Successfully deleted {path}"

    @transaction.atomic
    def rename(self, path: str, new_path: str) -> str:
        """Move a file, or a folder with all it holds; the old paths go on as aliases."""
        (place, owner), (target, _) = self._to_change(path), self._to_change(new_path)
        if place.is_root:
            raise CommandRefused("Cannot rename the /memories directory itself")
        note, there = self._note(place), self._note(target)
        is_own_alias = there is not None and there == note and there.name != target.name
        if target.is_root or self._names_below(target) or (there and not is_own_alias):
            raise CommandRefused(f"The destination {new_path} already exists")
        names = [note.name] if note else self._names_below(place)
        if not names:
            raise CommandRefused(f"The path {path} does not exist")
        _check_parts(target)
        for name in names:
            moved = target.name + ("" if note else name.removeprefix(place.name))
            amend_note(owner=owner, actor=self.actor, name=name, new_name=moved)
        return f"Successfully renamed {path} to {new_path}"

    def _to_change(self, path: str) -> tuple[EntryPath, Owner]:
        """Return a place and its owner, under the owner's lock."""
        place = place_of(path)
        if place.is_read_only or self.owner is None:
            raise CommandRefused(f"The path {path} is read-only.")
        lock_entries(self.owner)
        return place, self.owner

    def _content(self, place: EntryPath) -> str:
        """Return the text of a note that is to be changed."""
        note = self._note(place)
        if note is not None:
            return note.content
        if place.is_root or self._names_below(place):
            raise CommandRefused(f"The path {place.path} is not a file.")
        raise CommandRefused(f"The path {place.path} does not exist. Please provide a valid path.")

    def _read(self, place: EntryPath) -> str | None:
        """Return the text of a file of any kind, or None where none is."""
        if place.is_profile:
            return profile_text(self.owner)
        if place.is_in_archives:
            found = find_entry(owner=self.owner, name=place.name)
            return found.content if found and found.kind == Entry.Kind.ARCHIVE else None
        note = self._note(place)
        return note.content if note else None

    def _note(self, place: EntryPath) -> Entry | None:
        if place.is_read_only:
            return None
        found = find_entry(owner=self.owner, name=place.name)
        return found if found and found.kind == Entry.Kind.NOTE else None

    def _names_below(self, place: EntryPath) -> list[str]:
        """Return the canonical names of the notes in a folder."""
        below = Entry.objects.filter(owner=self.owner, kind=Entry.Kind.NOTE)
        below = below.filter(name__startswith=place.name + DIVISION)
        return list(below.order_by("number").values_list("name", flat=True))

    def _below(self, place: EntryPath) -> dict[str, int]:
        """Return the sizes of all files in a folder, by their paths below it."""
        head = "".join(f"{part}/" for part in place.parts)
        return {
            path.removeprefix(head): size
            for path, size in self._sizes().items()
            if path.startswith(head)
        }

    def _sizes(self) -> dict[str, int]:
        if self.owner is None:
            return {}
        size = Func("content", function="octet_length", output_field=IntegerField())
        rows = Entry.objects.filter(owner=self.owner).values_list("name", "kind", size)
        notes = {file_path(name): n for name, kind, n in rows if kind == Entry.Kind.NOTE}
        # What lies in the way of a file that is read only is found by the other tools.
        kept = {path: n for path, n in notes.items() if not place_of(f"{ROOT}/{path}").is_read_only}
        kept |= {
            f"{ARCHIVES}/{file_path(name)}": n
            for name, kind, n in rows
            if kind == Entry.Kind.ARCHIVE
        }
        profile = profile_text(self.owner)
        return kept if profile is None else {**kept, PROFILE: len(profile.encode())}


def profile_text(owner: Owner | None) -> str | None:
    """Return what is known of the owner as a text, or None where nothing is."""
    narrative = UserNarrative.objects.filter(owner=owner).first()
    scaffold = Scaffold.objects.filter(owner=owner).first()
    learned = LearnedInfo.objects.filter(owner=owner).first()
    parts = [
        narrative.text if narrative else "",
        orjson.dumps(scaffold.data, option=orjson.OPT_INDENT_2).decode()
        if scaffold and scaffold.data
        else "",
        "\n".join(f"- {item}" for item in learned.items) if learned else "",
    ]
    return "\n\n".join(part for part in parts if part) or None


def _check_parts(place: EntryPath) -> None:
    """Refuse a path of which a part could not be a file's name. Raises NameUnfit."""
    for part in place.parts:
        check_name(part)
