"""Recompute the event chains."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from memory.events import verify_chain
from memory.models import Session


class Command(BaseCommand):
    help = "Verify the chain of every session, or of SESSION. Exits with 1 if one does not hold."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("session", nargs="?", help="id of one session")

    def handle(self, *, session: str | None, **options: object) -> None:
        rows = Session.objects.filter(pk=session) if session else Session.objects.order_by("pk")
        count, breaks = 0, []
        for row in tqdm(rows.iterator(), total=rows.count(), unit="session", disable=None):
            breaks += verify_chain(row)
            count += 1
        for one in breaks:
            self.stdout.write(f"{one.session} {one.lane} {one.seq}: {one.why}")
        if breaks:
            raise CommandError(f"{len(breaks)} breaks in {count} sessions")
        self.stdout.write(f"{count} sessions hold")
