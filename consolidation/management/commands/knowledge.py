"""Put, list, show and delete an agent's documents."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from accounts.errors import Fault
from accounts.models import Agent
from accounts.owners import find_agent_owner, scope_of
from consolidation.edits.own import forget_knowledge
from consolidation.embedding.documents import keep_document
from knowledge.documents.agent import find_named
from knowledge.models import KnowledgeDocument

ACTOR = "command"


class Command(BaseCommand):
    help = "Put a document into an agent's knowledge, list, show or delete what is there."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--agent", default="assistant", help="slug of the agent (assistant)")
        acts = parser.add_subparsers(dest="act", required=True)
        put = acts.add_parser("put", help="write a document under a key, or replace the one there")
        put.add_argument("key")
        put.add_argument("file", help="the text, or - for standard input")
        acts.add_parser("list", help="keys, versions and sizes, newest first")
        for name, about in (("show", "print a document"), ("delete", "delete a document")):
            act = acts.add_parser(name, help=about)
            act.add_argument("key", help="its key, or its id where it has none")

    def handle(
        self, *, agent: str, act: str, key: str = "", file: str = "", **options: object
    ) -> None:
        found = Agent.objects.filter(slug=agent).first()
        if found is None:
            raise CommandError(f"there is no agent {agent}")
        try:
            self._do(act, found, key, file)
        except Fault as fault:
            raise CommandError(f"{fault}. {fault.hint}") from fault

    def _do(self, act: str, agent: Agent, key: str, file: str) -> None:
        if act == "put":
            self._put(agent, key, _read(file))
        elif act == "list":
            self._list(agent)
        elif act == "show":
            self.stdout.write(find_named(owner=find_agent_owner(agent), name=key).content)
        else:
            found = find_named(owner=find_agent_owner(agent), name=key)
            forget_knowledge(agent=agent, actor=ACTOR, id=found.pk)
            self.stdout.write(f"{key} is deleted")

    def _put(self, agent: Agent, key: str, content: str) -> None:
        put = keep_document(agent=agent, actor=ACTOR, key=key, content=content)
        was = "inserted" if put.is_new else "updated" if put.is_changed else "unchanged"
        self.stdout.write(f"{key} {was}, version {put.document.version}")

    def _list(self, agent: Agent) -> None:
        documents = KnowledgeDocument.objects.within(scope_of(agent)).listed().order_by("-pk")
        for one in documents.iterator():
            self.stdout.write(f"{one}  version {one.version}  {one.tokens} tokens")


def _read(file: str) -> str:
    """Return the text of a file, or of standard input for `-`. Raises CommandError."""
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read as UTF-8 text") from error
