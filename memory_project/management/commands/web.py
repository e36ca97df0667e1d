"""Run the web server alone."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from memory_project.address import AddressTaken, check_port
from memory_project.programs import web


class Command(BaseCommand):
    help = (
        "Run the web server in the foreground; the database is DATABASE_URL's, set up by `setup`."
    )
    requires_system_checks = ()

    def handle(self, **options: object) -> None:
        try:
            check_port(settings.PORT, settings.BIND)
        except AddressTaken as refusal:
            raise CommandError(str(refusal)) from refusal
        web(settings.DATA_DIR, settings.INCOGNITO).execute()
