"""Erase everything that is known of a person, and print the certificate."""

import json
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from accounts.models import Agent, Owner
from accounts.owners import find_owner
from consolidation.erasure.job import advance
from consolidation.erasure.request import erase_owner, erase_person, owners_of_person, preview
from consolidation.erasure.steps import STEPS
from consolidation.models import Erasure

ACTOR = "command"


class Command(BaseCommand):
    help = "Erase a person as one agent knows them, or as all do, and print the certificate."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="the agent's id for the person")
        parser.add_argument("--agent", default="assistant", help="slug of the agent (assistant)")
        parser.add_argument("--organization", default="", help="slug, where two have such an agent")
        parser.add_argument("--everywhere", action="store_true", help="as every agent knows them")
        parser.add_argument("--dry-run", action="store_true", help="only say what would go")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument("--certificate", type=Path, help="write the certificate to this file")

    def handle(
        self,
        *,
        user: str,
        agent: str,
        organization: str,
        everywhere: bool,
        dry_run: bool,
        yes: bool,
        certificate: Path | None,
        **options: object,
    ) -> None:
        owner = _owner(agent, organization, user)
        owners = owners_of_person(owner.user) if everywhere and owner.user else [owner]
        for label, count in preview(owners).items():
            self.stdout.write(f"{count:>9}  {label}")
        if dry_run:
            self.stdout.write("nothing was deleted")
            return
        if not yes and input(f"type {user} to erase all of this for good: ") != user:
            raise CommandError("nothing was deleted")
        person = owner.user if everywhere else None
        begun = erase_person(person=person, actor=ACTOR) if person else None
        done = self._finish(begun or erase_owner(owner=owner, actor=ACTOR))
        text = json.dumps(done.certificate, indent=2)
        if certificate:
            certificate.write_text(text, encoding="utf-8")
        self.stdout.write(text)

    def _finish(self, erasure: Erasure) -> Erasure:
        with tqdm(total=len(STEPS) + 1, unit="step", disable=None) as bar:
            while erasure.state == Erasure.State.RUNNING:
                erasure = advance(erasure)
                bar.update(erasure.position - bar.n)
        if erasure.state != Erasure.State.DONE:
            raise CommandError(f"{erasure.error_code}: run it again")
        return erasure


def _owner(agent: str, organization: str, user: str) -> Owner:
    found = Agent.objects.filter(slug=agent)
    if organization:
        found = found.filter(organization__slug=organization)
    if found.count() > 1:
        raise CommandError(f"several organizations have an agent {agent}: name one")
    first = found.first()
    owner = find_owner(agent=first, user=user) if first else None
    if owner is None:
        raise CommandError(f"no agent {agent} knows {user}")
    return owner
