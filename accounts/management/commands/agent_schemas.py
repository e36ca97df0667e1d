"""Make the database schema of every agent."""

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Agent
from accounts.schemas import ensure_schemas


class Command(BaseCommand):
    help = "Make every agent's schema, role and views anew, and drop those whose agents are gone."

    def handle(self, **options: object) -> None:
        done = ensure_schemas(Agent.objects.order_by("created_at"))
        if done.missing:
            raise CommandError(f"the database role lacks {done.missing}; see `manage.py doctor`")
        self.stdout.write(f"{done.made} made, {done.dropped} dropped")
