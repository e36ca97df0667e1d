"""Let an agent's role log in to the database."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from accounts.errors import SchemaMissing
from accounts.logins import give_login, revoke_login
from accounts.models import Agent


class Command(BaseCommand):
    help = "Print a role and a new password with which an agent reads its own schema; shown once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--organization", default="default")
        parser.add_argument("--revoke", action="store_true", help="close it and end what is open")

    def handle(self, *, slug: str, organization: str, revoke: bool, **options: object) -> None:
        agent = Agent.objects.filter(organization__slug=organization, slug=slug).first()
        if agent is None:
            raise CommandError(f"there is no agent {slug}")
        try:
            if revoke:
                revoke_login(agent=agent, actor="command")
                self.stdout.write(f"{slug} cannot log in any more")
            else:
                role, password = give_login(agent=agent, actor="command")
                self.stdout.write(f"role     {role}\npassword {password}\n{_where()}")
        except SchemaMissing as refusal:
            raise CommandError(f"{refusal}. {refusal.hint}") from refusal


def _where() -> str:
    """Say where to log in; the embedded server listens on a socket of its owner's alone."""
    known = connection.settings_dict
    place = f"database {known['NAME']}\nhost     {known['HOST'] or 'localhost'}"
    return f"{place}\nport     {known['PORT'] or 5432}"
