"""Bring long-term memory under a changed RECOLLECT_LONG_TERM_VECTORS."""

from django.core.management.base import BaseCommand
from tqdm import tqdm

from consolidation.session_end.tiers import apply_the_rule
from memory.models import Session


class Command(BaseCommand):
    help = (
        "Give the passages of long-term memory their vectors back, or take them away, as "
        "RECOLLECT_LONG_TERM_VECTORS says. Run again, it goes on where it stopped."
    )

    def handle(self, *args: object, **options: object) -> None:
        sessions = Session.objects.filter(tier=Session.Tier.LONG_TERM).count()
        with tqdm(total=sessions, desc="sessions", disable=None) as bar:
            changed = 0
            for passages in apply_the_rule():
                changed += passages
                bar.update()
        self.stdout.write(f"{changed} passages of {sessions} sessions changed")
