"""Write all that is known of a person to a file."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Agent
from accounts.owners import find_owner
from audit.log import record
from consolidation.deletion.erasure.request import owners_of_person
from consolidation.portable.export import exported
from consolidation.portable.readable import zipped

BLOCK = 1024 * 1024


class Command(BaseCommand):
    help = "Write all that is known of a person as JSON, or to a .zip with a page to read besides."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="the agent's id for the person")
        parser.add_argument("path", type=Path)
        parser.add_argument("--agent", default="assistant", help="slug of the agent (assistant)")
        parser.add_argument("--everywhere", action="store_true", help="as every agent knows them")

    def handle(
        self, *, user: str, path: Path, agent: str, everywhere: bool, **options: object
    ) -> None:
        found = Agent.objects.filter(slug=agent)
        owner = find_owner(agent=found[0], user=user) if found.count() == 1 else None
        if owner is None:
            raise CommandError(f"no one agent {agent} knows {user}")
        owners = owners_of_person(owner.user) if everywhere and owner.user else [owner]
        record(actor="command", action="export", subject=str(owner.pk))
        with path.open("xb") as file:
            if path.suffix == ".zip":
                with zipped(owners) as archive:
                    while block := archive.read(BLOCK):
                        file.write(block)
            else:
                file.writelines(exported(owners))
        self.stdout.write(f"{path.stat().st_size} bytes")
