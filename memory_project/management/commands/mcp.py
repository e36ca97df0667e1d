"""Serve the tools over standard input and output."""

import os
from argparse import ArgumentParser

from asgiref.sync import async_to_sync
from django.core.management.base import BaseCommand, CommandError

from accounts.keys import find_key
from api.authentication import Caller
from api.mcp.asking import Asking
from api.mcp.stdio import serve
from api.v1.tools.calling import CallContext
from api.v1.tools.profiles import EVERY, PROFILES, tools_of

KEY = "RECOLLECT_KEY"


class Command(BaseCommand):
    help = f"Serve MCP over standard input and output, as the agent whose key is in {KEY}."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", help="whose memory; without it each call names the user")
        parser.add_argument("--profile", choices=[*PROFILES, EVERY], default="default")

    def handle(self, *, user: str | None, profile: str, **options: object) -> None:
        asking = Asking(_caller(), CallContext(user=user), tools_of(profile))
        async_to_sync(serve)(asking)


def _caller() -> Caller:
    """Return the agent that the key belongs to. Raises CommandError."""
    key = find_key(os.environ.get(KEY, ""))
    if key is None or key.agent is None:
        raise CommandError(
            f"set {KEY} to an agent's key; `manage.py issue_key --agent SLUG` makes one"
        )
    return Caller(key)
