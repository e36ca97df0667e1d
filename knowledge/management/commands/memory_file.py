"""Export, import, inspect and change a memory that is one file."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from accounts.errors import Fault
from accounts.models import Agent, Owner
from accounts.owners import agent_owner, find_agent_owner, find_owner, resolve_owner
from knowledge.notes.entries.operations import EntryKind, EntryValue, operation_named
from knowledge.notes.files.format import VERSION
from knowledge.notes.files.memory_file import MemoryFile
from knowledge.notes.files.tree import read_tree, write_tree
from knowledge.notes.transfer import entries_of, take_entries

ACTOR = "command"
# What `open` does, with the arguments of each: `content` is a text, or - for standard input.
ACTS = {
    "list": (),
    "show": ("name",),
    "search": ("query",),
    "add": ("name", "content"),
    "rename": ("name", "new_name"),
    "alias": ("name", "alias"),
    "write": ("name", "content"),
    "remove": ("name",),
}


class Command(BaseCommand):
    help = "Export an owner's notes and archives to a file and back, look into one, or change it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        for name, about in (
            ("export", "write an owner's entries to a file, or with --tree to a folder"),
            ("import", "add a file's entries to an owner's; doing it again changes nothing"),
        ):
            act = acts.add_parser(name, help=about)
            act.add_argument("path", type=Path)
            act.add_argument("--agent", default="assistant", help="slug of the agent (assistant)")
            act.add_argument("--user", help="the agent's id for the person; else the agent's own")
            act.add_argument("--tree", action="store_true", help="a folder of Markdown files")
            if name == "export":
                act.add_argument("--replace", action="store_true", help="overwrite what is there")
        inspect = acts.add_parser("inspect", help="say what a file holds, and whether it is whole")
        inspect.add_argument("path", type=Path)
        opened = acts.add_parser("open", help="show, search or change the entries of a file")
        opened.add_argument("path", type=Path)
        deeds = opened.add_subparsers(dest="deed", required=True)
        for name, arguments in ACTS.items():
            deed = deeds.add_parser(name)
            for argument in arguments:
                deed.add_argument(argument)

    def handle(self, *, act: str, path: Path, **options: object) -> None:
        try:
            if act == "inspect":
                self._inspect(path)
            elif act == "open":
                self._open(path, str(options["deed"]), options)
            else:
                self._transfer(act, path, options)
        except Fault as fault:
            raise CommandError(f"{fault}. {fault.hint}") from fault

    def _transfer(self, act: str, path: Path, options: dict[str, object]) -> None:
        agent = Agent.objects.filter(slug=options["agent"]).first()
        if agent is None:
            raise CommandError(f"there is no agent {options['agent']}")
        user = str(options["user"]) if options["user"] else None
        is_tree = bool(options["tree"])
        if act == "import":
            owner = resolve_owner(agent=agent, user=user) if user else agent_owner(agent)
            self._import(owner, path, is_tree)
            return
        found = find_owner(agent=agent, user=user) if user else find_agent_owner(agent)
        if found is None:
            raise CommandError(f"{agent} knows no such owner: name a --user it has met, or none")
        self._export(found, path, is_tree=is_tree, replace=bool(options["replace"]))

    def _export(self, owner: Owner, path: Path, *, is_tree: bool, replace: bool) -> None:
        entries, next_number = entries_of(owner)
        if path.exists() and not replace and not _is_so_already(path, is_tree, entries):
            raise CommandError(f"{path} is there already: --replace overwrites it")
        if is_tree:
            write_tree(path, entries, next_number)
        else:
            MemoryFile(path).replace(entries, next_number)
        self.stdout.write(f"{len(entries)} entries are in {path}")

    def _import(self, owner: Owner, path: Path, is_tree: bool) -> None:
        entries = read_tree(path)[0] if is_tree else _existing(path).entries()
        taken = take_entries(owner=owner, entries=entries, actor=ACTOR)
        self.stdout.write(
            f"{taken.added} added, {taken.changed} changed, {taken.unchanged} as they were"
        )

    def _inspect(self, path: Path) -> None:
        state = _existing(path).state
        with path.open("rb") as file:
            version = file.read(10)[6]
        kinds = [entry.kind for entry in state.entries.values()]
        self.stdout.write(f"version {version}, {path.stat().st_size} bytes, it is whole")
        checked = "checksum and index agree" if version == VERSION else "it has no checksum"
        self.stdout.write(f"{checked}; {len(state.containing)} terms, {state.total} in all")
        self.stdout.write(
            f"{kinds.count(EntryKind.NOTE)} notes, {kinds.count(EntryKind.ARCHIVE)} archives, "
            f"{len(state.names) - len(kinds)} aliases; next id {state.next_number}"
        )
        for entry in state.entries.values():
            self._line(entry)

    def _open(self, path: Path, deed: str, options: dict[str, object]) -> None:
        given = {name: str(options[name]) for name in ACTS[deed]}
        if given.get("content") == "-":
            given["content"] = sys.stdin.read()
        memory = MemoryFile(path)
        if deed == "list":
            for entry in memory.entries():
                self._line(entry)
        elif deed == "show":
            self.stdout.write(memory.find(given["name"]).content)
        elif deed == "search":
            for hit in memory.search(given["query"]):
                self.stdout.write(f"{hit.score:.4f}  {hit.entry.name}")
        else:
            self._line(memory.apply(operation_named(deed)(**given)))

    def _line(self, entry: EntryValue) -> None:
        also = f"  also {', '.join(entry.aliases)}" if entry.aliases else ""
        size = len(entry.content.encode())
        self.stdout.write(f"{entry.number}  {entry.kind}  {entry.name}  {size} bytes{also}")


def _existing(path: Path) -> MemoryFile:
    """Open a file that is there. Raises CommandError, FileUnfit or FileUnwritten."""
    if not path.exists():
        raise CommandError(f"there is no file {path}")
    return MemoryFile(path)


def _is_so_already(path: Path, is_tree: bool, entries: list[EntryValue]) -> bool:
    """Say whether a path holds these entries, so that writing them again takes nothing away."""
    try:
        return (read_tree(path)[0] if is_tree else MemoryFile(path).entries()) == entries
    except Fault:
        return False
