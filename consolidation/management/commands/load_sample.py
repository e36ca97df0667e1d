"""Load the sample conversation, so that there is something to ask."""

from pathlib import Path

from django.core.management.base import BaseCommand

from accounts.models import Agent
from consolidation.intake.transcripts import import_transcript, read_transcripts

SAMPLE = Path(__file__).parents[2] / "sample" / "garden.jsonl"


class Command(BaseCommand):
    help = "Load the sample conversation for the user `sample`. Run again, it changes nothing."

    def handle(self, **options: object) -> None:
        agent = Agent.objects.get(slug="assistant")
        for transcript in read_transcripts(SAMPLE):
            import_transcript(
                agent=agent, user="sample", transcript=transcript, progress=lambda count: None
            )
