"""Issue an API key."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from accounts.keys import issue_key
from accounts.models import Agent, Organization


class Command(BaseCommand):
    help = "Print a new key: an operator's, or with --agent that agent's. It is shown this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", default="default")
        parser.add_argument("--agent", help="slug of an agent; without it the key is an operator's")
        parser.add_argument("--days", type=int, help="days until it expires (never)")

    def handle(
        self, *, organization: str, agent: str | None, days: int | None, **options: object
    ) -> None:
        tenant = Organization.objects.filter(slug=organization).first()
        if tenant is None:
            raise CommandError(f"there is no organization {organization}; run `make up` once")
        row = Agent.objects.filter(organization=tenant, slug=agent).first() if agent else None
        if agent and row is None:
            raise CommandError(f"there is no agent {agent}")
        scopes = ("agent",) if row else ("operator",)
        issued = issue_key(
            organization=tenant, agent=row, scopes=scopes, actor="command", days=days
        )
        self.stdout.write(issued.text)
