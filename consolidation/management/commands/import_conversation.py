"""Import a conversation from a file."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from accounts.errors import Fault
from accounts.models import Agent
from consolidation.intake.forecast import of_learning, of_vectors, tokens_of
from consolidation.intake.transcripts import (
    LONGEST_NAME,
    Transcript,
    import_transcript,
    read_transcripts,
)
from providers.registry import chat_model, embedder


class Command(BaseCommand):
    help = "Import FILE (JSON lines, or chat messages as OpenAI has them). Run again, it resumes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--agent", default="assistant", help="slug of the agent (assistant)")
        parser.add_argument("--dry-run", action="store_true", help="only say what it would cost")
        parser.add_argument("--user", required=True, type=_user, help="whose memory it becomes")

    def handle(
        self, *, file: Path, agent: str, user: str, dry_run: bool = False, **options: object
    ) -> None:
        found = Agent.objects.filter(slug=agent).first()
        if found is None:
            raise CommandError(f"there is no agent {agent}")
        try:
            transcripts = read_transcripts(file)
            total = sum(len(transcript.drafts) for transcript in transcripts)
            self._forecast(found, transcripts)
            if dry_run:
                self.stdout.write(f"would import {total} messages in {len(transcripts)} sessions")
                return
            with tqdm(total=total, unit="message", disable=None) as bar:
                for one in transcripts:
                    import_transcript(agent=found, user=user, transcript=one, progress=bar.update)
        except Fault as fault:
            raise CommandError(f"{fault}. {fault.hint}") from fault
        self.stdout.write(f"{total} messages in {len(transcripts)} sessions")

    def _forecast(self, agent: Agent, transcripts: Sequence[Transcript]) -> None:
        """Say what vectors and answers will cost, where they cost anything."""
        vectors = of_vectors(embedder(), tokens_of(transcripts))
        answers = of_learning(chat_model(), transcripts) if agent.learns else None
        for name, forecast in (("vectors", vectors), ("learning", answers)):
            if forecast and forecast.micro_usd != 0:
                self.stdout.write(f"{name}: {forecast}")


def _user(name: str) -> str:
    if not name.strip() or len(name) > LONGEST_NAME:
        raise ArgumentTypeError(f"a user's name has 1 to {LONGEST_NAME} characters")
    return name
