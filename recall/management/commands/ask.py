"""Ask a memory a question."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Agent
from accounts.owners import find_owner
from recall.search.hits import Hit
from recall.search.messages.search import search
from recall.search.ranking_profiles import PROFILES


class Command(BaseCommand):
    help = "Ask a user's memory. With several profiles their answers stand side by side."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question")
        parser.add_argument("--agent", default="assistant", help="slug of the agent (assistant)")
        parser.add_argument("--user", default="sample", help="whose memory (sample)")
        parser.add_argument("--limit", type=int, default=5)
        parser.add_argument("--profile", action="append", choices=sorted(PROFILES), default=None)

    def handle(
        self,
        *,
        question: str,
        agent: str,
        user: str,
        limit: int,
        profile: list[str] | None,
        **options: object,
    ) -> None:
        found = Agent.objects.filter(slug=agent).first()
        owner = find_owner(agent=found, user=user) if found else None
        if owner is None:
            raise CommandError(f"agent {agent} knows no user {user}")
        for name in profile or ["calibrated"]:
            answer = search(owner=owner, query=question, limit=limit, profile=PROFILES[name])
            self.stdout.write(f"profile {name}, searched by {answer.searched_by}")
            for place, hit in enumerate(answer.hits, start=1):
                self.stdout.write(_line(place, hit))


def _line(place: int, hit: Hit) -> str:
    signals = hit.signals
    why = f"words {signals.words:.2f} meaning {signals.meaning:.2f} session {signals.session:.2f}"
    return f"{place:3}. {hit.score:.3f}  {hit.occurred_at:%Y-%m-%d} {hit.speaker}: {hit.text}\n     {why}"
