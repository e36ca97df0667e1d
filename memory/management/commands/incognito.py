"""Hold incognito sessions in this process, for the web server's processes."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from memory.holder import hold, key_of
from memory.incognito import HERE


class Command(BaseCommand):
    help = "Hold incognito sessions in this process's memory; RECOLLECT_INCOGNITO names the socket."
    requires_system_checks = ()

    def handle(self, **options: object) -> None:
        if settings.INCOGNITO in ("", HERE):
            raise CommandError("RECOLLECT_INCOGNITO names no socket")
        hold(settings.INCOGNITO, key_of(settings.SECRET_KEY))
