"""Erase everything that is known of a person, and print the certificate."""

import json
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from accounts.models import Agent, Owner
from accounts.owners import find_owner
from consolidation.deletion.erasure.job import advance, begin_again
from consolidation.deletion.erasure.request import (
    erase_owner,
    erase_person,
    owners_of_person,
    preview,
)
from consolidation.deletion.erasure.steps import STEPS
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
        found = _agent(agent, organization)
        begun = _begun(found, user)
        if begun and not dry_run:
            # What was begun is confirmed already.
            self._certify(self._finish(begin_again(begun)), certificate)
            return
        owner = _owner(found, user)
        owners = owners_of_person(owner.user) if everywhere and owner.user else [owner]
        for label, count in preview(owners).items():
            self.stdout.write(f"{count:>9}  {label}")
        if dry_run:
            self.stdout.write("nothing was deleted")
            return
        if not yes and input(f"type {user} to erase all of this for good: ") != user:
            raise CommandError("nothing was deleted")
        person = owner.user if everywhere else None
        made = erase_person(person=person, actor=ACTOR) if person else None
        done = self._finish(made or erase_owner(owner=owner, actor=ACTOR))
        self._certify(done, certificate)

    def _certify(self, done: Erasure, certificate: Path | None) -> None:
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
            raise CommandError(
                f"{erasure.error_code}: something is left after {erasure.rounds} rounds. "
                "Run the same command again: it does all the steps once more."
            )
        return erasure


def _agent(slug: str, organization: str) -> Agent | None:
    found = Agent.objects.filter(slug=slug)
    if organization:
        found = found.filter(organization__slug=organization)
    if found.count() > 1:
        raise CommandError(f"several organizations have an agent {slug}: name one")
    return found.first()


def _begun(agent: Agent | None, user: str) -> Erasure | None:
    """Return the erasure of a person that has begun and has not ended well, or None."""
    known = Owner.objects.filter(agent=agent, kind=Owner.Kind.USER, key=user)
    row = known.exclude(erasure=None).first() if agent else None
    if row is None:
        return None
    return Erasure.objects.filter(pk=str(row.erasure)).exclude(state=Erasure.State.DONE).first()


def _owner(agent: Agent | None, user: str) -> Owner:
    owner = find_owner(agent=agent, user=user) if agent else None
    if owner is None:
        raise CommandError(f"no agent {agent or 'of this name'} knows {user}")
    return owner
