"""Work in the observations that wait, without waiting for the next round."""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable

from django.core.management.base import BaseCommand
from django.db.models import QuerySet
from tqdm import tqdm

from consolidation.job_kinds import run_job
from consolidation.models import ContextEvent, Job
from consolidation.profile.failure import put_back
from consolidation.profile.request import KIND, request_synthesis

# Of one owner: each works in up to 200 observations.
MOST_RUNS = 100


class Command(BaseCommand):
    help = (
        "Work observations into the pictures of their users. Run again, it changes nothing; it may "
        "run beside workers."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--user", default="", help="of this user alone, by the agent's id for them"
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what waits")
        parser.add_argument(
            "--put-back", action="store_true", help="first try again what was set aside"
        )

    def handle(self, *, user: str, dry_run: bool, put_back: bool, **options: object) -> None:
        mine = ContextEvent.objects.filter(owner__key=user) if user else ContextEvent.objects.all()
        if dry_run:
            self._tell(mine)
            return
        if put_back:
            self._put_back(mine)
        before = mine.filter(processed=True).count()
        with tqdm(total=mine.waiting().count(), unit="observation", disable=None) as bar:
            for owner in (
                mine.waiting().values_list("owner", flat=True).distinct().order_by("owner")
            ):
                _work_in(owner, bar.update)
        done = mine.filter(processed=True).count() - before
        self.stdout.write(
            f"{done} worked in, {mine.waiting().count()} wait, {_aside(mine)} set aside"
        )

    def _tell(self, mine: QuerySet[ContextEvent]) -> None:
        rows = mine.filter(processed=False).values_list("owner__key", "set_aside_at")
        waiting = Counter(key for key, aside in rows if aside is None)
        aside = Counter(key for key, at in rows if at is not None)
        for key in sorted(waiting.keys() | aside.keys()):
            self.stdout.write(f"{key}  {waiting[key]} wait, {aside[key]} set aside")
        self.stdout.write(f"{waiting.total()} wait, {aside.total()} set aside; nothing was changed")

    def _put_back(self, mine: QuerySet[ContextEvent]) -> None:
        aside = mine.filter(processed=False).exclude(set_aside_at=None)
        self.stdout.write(f"{put_back(aside.values_list('pk', flat=True))} put back")


def _work_in(owner: int, progress: Callable[[int], object]) -> None:
    """Do an owner's jobs as a worker would, until nothing is left or nothing more is done."""
    mine = ContextEvent.objects.waiting().filter(owner=owner)
    left = mine.count()
    for _ in range(MOST_RUNS):
        request_synthesis(owner)
        # One that a killed worker left goes first.
        open_jobs = Job.objects.open().filter(kind=KIND, key=str(owner)).order_by("pk")
        for job in list(open_jobs.values_list("pk", flat=True)):
            run_job(job)
        now = mine.count()
        progress(left - now)
        if now in {0, left}:
            return
        left = now


def _aside(mine: QuerySet[ContextEvent]) -> int:
    return mine.filter(processed=False).exclude(set_aside_at=None).count()
