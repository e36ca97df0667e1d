"""Import a conversation from a file."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from accounts.errors import Fault
from accounts.models import Agent
from consolidation.transcripts import LONGEST_NAME, import_transcript, read_transcripts


class Command(BaseCommand):
    help = "Import FILE (JSON lines, or chat messages as OpenAI has them). Run again, it resumes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--agent", default="assistant", help="slug of the agent (assistant)")
        parser.add_argument("--user", required=True, type=_user, help="whose memory it becomes")

    def handle(self, *, file: Path, agent: str, user: str, **options: object) -> None:
        found = Agent.objects.filter(slug=agent).first()
        if found is None:
            raise CommandError(f"there is no agent {agent}")
        try:
            transcripts = read_transcripts(file)
            total = sum(len(transcript.drafts) for transcript in transcripts)
            with tqdm(total=total, unit="message", disable=None) as bar:
                for one in transcripts:
                    import_transcript(agent=found, user=user, transcript=one, progress=bar.update)
        except Fault as fault:
            raise CommandError(f"{fault}. {fault.hint}") from fault
        self.stdout.write(f"{total} messages in {len(transcripts)} sessions")


def _user(name: str) -> str:
    if not name.strip() or len(name) > LONGEST_NAME:
        raise ArgumentTypeError(f"a user's name has 1 to {LONGEST_NAME} characters")
    return name
