"""Take an export of a person into their memory."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from tqdm import tqdm

from accounts.errors import Fault
from accounts.models import Agent
from accounts.owners import resolve_owner
from consolidation.portable.reading.document import Export, check_person, read_export
from consolidation.portable.request import import_at_once, offer_of

ACTOR = "command"


class Command(BaseCommand):
    help = "Take what an export tells (memory.json, or memory.zip) into a person's memory. Done again, it adds nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--agent", default="assistant", help="slug of the agent (assistant)")
        parser.add_argument("--user", required=True, help="the agent's id for the person")
        parser.add_argument("--of", default="", help="whom the file names, if that is another id")
        parser.add_argument("--dry-run", action="store_true", help="only say what would come in")

    def handle(
        self, *, file: Path, agent: str, user: str, of: str, dry_run: bool, **options: object
    ) -> None:
        found = Agent.objects.filter(slug=agent)
        if len(found) != 1:
            raise CommandError(f"there is no one agent {agent}")
        try:
            export = read_export(file.read_bytes(), agent=agent)
            check_person(export, key=user, of=of)
            if dry_run:
                self._offer(found[0], user, export)
                return
            owner = resolve_owner(agent=found[0], user=user)
            with tqdm(total=export.total, unit="row", disable=None) as bar:
                done = import_at_once(
                    owner=owner,
                    export=export,
                    actor=ACTOR,
                    progress=lambda rows: bar.update(rows - bar.n),
                )
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except Fault as fault:
            raise CommandError(f"{fault}. {fault.hint}") from fault
        self._say(done.counts)

    def _offer(self, agent: Agent, user: str, export: Export) -> None:
        with transaction.atomic():
            # A person whom nobody has met yet is not made known by a look.
            offer = offer_of(owner=resolve_owner(agent=agent, user=user), export=export)
            transaction.set_rollback(True)
        self._say(offer.counts)
        for name, rows in offer.left.items():
            self.stdout.write(f"{rows:>9}  {name.replace('_', ' ')}: left out")
        self.stdout.write(f"vectors: {offer.forecast}; nothing was taken in")

    def _say(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        for name, found in counts.items():
            said = ", ".join(f"{number} {what}" for what, number in found.items())
            self.stdout.write(f"{name.replace('_', ' '):>22}  {said}")
        forgotten = sum(found.get("forgotten", 0) for found in counts.values())
        if forgotten:
            self.stdout.write(f"{forgotten} were forgotten here, and stay forgotten")
