"""Golden questions: record what should come, and try another setting on it before it is switched."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet
from tqdm import tqdm

from accounts.errors import Fault
from memory.spaces import lack_of
from recall.golden.keeping import keep_receipt
from recall.golden.scoring import summary
from recall.golden.table import lines, name_of
from recall.golden.trying import K, Tried, by_change, tried
from recall.golden.variants import Variant, space_named
from recall.models import GoldenQuestion, Receipt
from recall.search.ranking_profiles import LONG_TERM_VECTORS, PROFILES

ACTOR = "command"
MOST_K = 200
MOST_MISSING = 10_000
# Two means of the same shares may differ in their last digit.
EVEN = 1e-9
HOW_TO_RECORD = (
    "Record one with `manage.py golden add RECEIPT`, POST /api/v1/golden, or on a receipt's page."
)


class Command(BaseCommand):
    help = "Golden questions: `run` tries a setting on them, `list` shows them, `add` records one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        run = acts.add_parser(
            "run", help="ask them as today and under another setting; 1 on a loss"
        )
        shown = acts.add_parser("list", help="show them")
        for one in (run, shown):
            one.add_argument("--agent", help="slug; without it of all agents")
            one.add_argument("--organization", help="slug; without it of all organizations")
        run.add_argument("--profile", choices=sorted(PROFILES), help="a ranking profile")
        run.add_argument("--space", metavar="MODEL", help="a model with vectors, as reembed lists")
        run.add_argument(
            "--long-term",
            choices=LONG_TERM_VECTORS,
            help="what of long-term memory has vectors; summaries is tried on any folder",
        )
        run.add_argument("--k", type=int, default=K, help=f"results that count for recall@k ({K})")
        run.add_argument(
            "--allow-loss", type=float, default=0.0, help="of recall@k in the mean, 0 to 1 (0)"
        )
        add = acts.add_parser("add", help="record that a receipt's first results should come")
        add.add_argument("receipt", type=UUID, metavar="RECEIPT")
        add.add_argument("--expect", type=UUID, action="append", metavar="ID", help="these instead")
        add.add_argument("--note", default="", help="why, in your words")

    def handle(self, *, act: str, **options: object) -> None:
        acts: Mapping[str, Callable[..., None]] = {
            "run": self._run,
            "list": self._list,
            "add": self._add,
        }
        try:
            acts[act](**options)
        except Fault as fault:
            raise CommandError(f"{fault}. {fault.hint}") from fault

    def _run(
        self,
        *,
        agent: str | None,
        organization: str | None,
        profile: str | None,
        space: str | None,
        long_term: str | None,
        k: int,
        allow_loss: float,
        **options: object,
    ) -> None:
        if not (1 <= k <= MOST_K and 0 <= allow_loss <= 1):
            raise CommandError(f"--k is 1 to {MOST_K}, --allow-loss 0 to 1")
        questions = list(_chosen(agent, organization))
        if not questions:
            raise CommandError(_nothing(agent))
        variant = Variant(profile, space_named(space) if space else None, long_term)
        self._tell_what_is_missing(variant)
        asked = tried(questions, variant=variant, k=k)
        rows = list(tqdm(asked, total=len(questions), unit="question", disable=None))
        for line in lines(by_change(rows), k):
            self.stdout.write(line)
        _judge(rows, k, allow_loss)

    def _list(self, *, agent: str | None, organization: str | None, **options: object) -> None:
        questions = list(_chosen(agent, organization))
        for one in questions:
            self.stdout.write(f"{name_of(one)}: {len(one.expected)} should come")
        if not questions:
            self.stdout.write(_nothing(agent))

    def _add(
        self, *, receipt: UUID, expect: list[UUID] | None, note: str, **options: object
    ) -> None:
        known = Receipt.objects.select_related("owner__agent").filter(pk=receipt).first()
        if known is None:
            raise CommandError(f"there is no receipt {receipt}: /console/receipts/ lists them")
        kept = keep_receipt(receipt=known, actor=ACTOR, expected=expect, note=note)
        how = "recorded" if kept.is_new else "replaced"
        count = len(kept.question.expected)
        self.stdout.write(f"{how} {kept.question.pk}: {count} should come")

    def _tell_what_is_missing(self, variant: Variant) -> None:
        missing = lack_of(variant.space, most=MOST_MISSING).texts if variant.space else 0
        if missing:
            more = " or more" if missing == MOST_MISSING else ""
            self.stdout.write(f"{missing} texts{more} have no vector in {variant.space} yet")


def _chosen(agent: str | None, organization: str | None) -> QuerySet[GoldenQuestion]:
    """Return the questions of an agent, an organization, or all."""
    found = GoldenQuestion.objects.select_related("owner__agent").order_by("owner_id", "pk")
    if agent:
        found = found.filter(owner__agent__slug=agent)
    if organization:
        found = found.filter(owner__agent__organization__slug=organization)
    return found


def _nothing(agent: str | None) -> str:
    whose = f"agent {agent} has" if agent else "there are"
    return f"{whose} no golden questions yet. {HOW_TO_RECORD}"


def _judge(rows: list[Tried], k: int, allowed: float) -> None:
    """Raise CommandError if the variant loses too much, or a model's silence leaves it open."""
    lacks = sorted({row.degraded for row in rows if row.degraded})
    if lacks:
        count = sum(bool(row.degraded) for row in rows)
        raise CommandError(
            f"{count} answers lacked their vectors ({', '.join(lacks)}), so nothing is decided: "
            "see docs/errors.md, then run it again"
        )
    found = summary([row.outcome for row in rows if row.outcome])
    if found and found.loss > allowed + EVEN:
        raise CommandError(
            f"the variant loses {found.loss:.3f} of recall@{k} in the mean, {allowed:g} is allowed"
        )
