"""The acts that the commands of both ledgers share."""

import getpass
import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta
from typing import ClassVar, Generic
from uuid import UUID

import orjson
from django.core.management.base import BaseCommand, CommandError

from accounts.models import Owner
from accounts.moments import iso_utc
from accounts.sealed.custody import (
    anonymise_records,
    hold_records,
    purge_records,
    read_records,
)
from accounts.sealed.ledgers import Ledger, Some

CODE = re.compile(r"[a-z0-9][a-z0-9_.-]{0,59}\Z")
CONFIRMATION = "purge"


class SealedCommand(BaseCommand, Generic[Some]):
    """`fields` are what a list shows of a record besides its pseudonyms and its time."""

    name: ClassVar[str]
    days: int
    ledger: Ledger[Some]
    fields: ClassVar[tuple[str, ...]]

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        shown = acts.add_parser("list", help="print records; that they were read is audited")
        shown.add_argument("--since", type=_day, default=_today() - timedelta(days=7))
        shown.add_argument("--until", type=_day, default=_today())
        shown.add_argument("--reason", type=_code, required=True, help="a code: why they are read")
        purge = acts.add_parser("purge", help=f"delete what is older than {self.days} days")
        purge.add_argument(
            "--confirm", default="", help=f"the word {CONFIRMATION}; asked otherwise"
        )
        hold = acts.add_parser("hold", help="keep a session's records beyond the retention")
        hold.add_argument("session", type=UUID)
        hold.add_argument("--until", type=_day, required=True)
        hold.add_argument("--reason", type=_code, required=True, help="a code: the law's ground")
        cut = acts.add_parser("anonymise", help="cut a person's records from the person")
        cut.add_argument("owner", type=int, help="id of the owner, as the admin shows it")
        counted = acts.add_parser("count", help="numbers of one year, without any identifier")
        counted.add_argument("--year", type=_year, default=_today().year)

    def handle(self, *, act: str, **given: object) -> None:
        {
            "list": self._list,
            "purge": self._purge,
            "hold": self._hold,
            "anonymise": self._anonymise,
            "count": self._count,
        }[act](given)

    def numbers(self, year: int) -> Mapping[str, int]:
        """Return what `count` prints."""
        raise NotImplementedError

    def _list(self, given: Mapping[str, object]) -> None:
        found = read_records(
            name=self.name,
            ledger=self.ledger,
            since=_date(given["since"]),
            until=_date(given["until"]),
            actor=_actor(),
            reason=str(given["reason"]),
        )
        for one in found:
            shown = {"at": iso_utc(one.at), "session": one.session_opaque}
            more = {field: getattr(one, field) for field in self.fields}
            self.stdout.write(orjson.dumps(shown | more, default=str).decode())

    def _purge(self, given: Mapping[str, object]) -> None:
        word = str(given["confirm"]) or input(f"Type {CONFIRMATION} to delete: ")
        if word != CONFIRMATION:
            raise CommandError("nothing was deleted")
        purged = purge_records(name=self.name, ledger=self.ledger, days=self.days, actor=_actor())
        self.stdout.write(f"{purged} deleted")

    def _hold(self, given: Mapping[str, object]) -> None:
        held = hold_records(
            name=self.name,
            ledger=self.ledger,
            session=UUID(str(given["session"])),
            until=_date(given["until"]),
            actor=_actor(),
            reason=str(given["reason"]),
        )
        if not held:
            raise CommandError("nothing is held: there is no such record of this session")
        self.stdout.write(f"{held} held")

    def _anonymise(self, given: Mapping[str, object]) -> None:
        owner = Owner.objects.filter(pk=str(given["owner"])).first()
        if owner is None:
            raise CommandError(f"there is no owner {given['owner']}")
        cut = anonymise_records(name=self.name, ledger=self.ledger, owner=owner, actor=_actor())
        self.stdout.write(f"{cut} anonymised")

    def _count(self, given: Mapping[str, object]) -> None:
        for label, count in self.numbers(int(str(given["year"]))).items():
            self.stdout.write(f"{label}: {count}")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError("a day is YYYY-MM-DD") from error


def _year(text: str) -> int:
    if not (text.isascii() and text.isdigit() and MINYEAR <= int(text[:5]) <= MAXYEAR):
        raise ArgumentTypeError(f"a year is a number from {MINYEAR} to {MAXYEAR}")
    return int(text)


def _code(text: str) -> str:
    if not CODE.match(text):
        raise ArgumentTypeError("a code is a-z, 0-9, _, . and -, at most 60")
    return text


def _date(value: object) -> date:
    return value if isinstance(value, date) else _day(str(value))


def _today() -> date:
    return datetime.now(UTC).date()


def _actor() -> str:
    return f"command {getpass.getuser()}"
