"""Bring the database to what this version needs, before web servers and workers start."""

from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from memory_project import facts
from memory_project.installation import DatabaseUnfit, prepare


class Command(BaseCommand):
    help = "Migrate the database of DATABASE_URL, make the first operator, agent and key."
    requires_system_checks = ()

    def handle(self, **options: object) -> None:
        data: Path = settings.DATA_DIR
        try:
            data.mkdir(parents=True, exist_ok=True)
            known = prepare()
            facts.write(data, known)
        except DatabaseUnfit as refusal:
            raise CommandError(str(refusal)) from refusal
        except OSError as error:
            raise CommandError(f"{error}; check the folder, or set RECOLLECT_DATA") from error
        # Into no log of a container: the file is for its owner alone.
        self.stdout.write(
            f"ready; the operator's login and an agent's key are in {data / facts.FILE}"
        )
