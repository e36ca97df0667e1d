"""Look at a session, compact it, restore it, end it."""

from argparse import ArgumentParser
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from accounts.errors import Fault
from consolidation.compaction.plan import latest_runs
from consolidation.compaction.request import request_compaction
from consolidation.intake.accept import end_session
from consolidation.models import CompactionRun
from memory.models import LaneWindow, Session
from memory.models.window import Lane
from memory.snapshots import restore_lanes


class Command(BaseCommand):
    help = "Show a session, or compact, restore or end it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        for name, about in HELP.items():
            act = acts.add_parser(name, help=about)
            act.add_argument("session", type=UUID, help="id of the session")
            if name == "compact":
                act.add_argument("--lane", choices=Lane.values, default=Lane.EDGE)

    def handle(self, *, act: str, session: UUID, lane: str = Lane.EDGE, **options: object) -> None:
        sessions = Session.objects.select_related("owner__agent__organization")
        found = sessions.filter(pk=session).first()
        if found is None:
            raise CommandError(f"there is no session {session}")
        try:
            self._do(act, found, lane)
        except Fault as fault:
            raise CommandError(f"{fault}. {fault.hint}") from fault

    def _do(self, act: str, session: Session, lane: str) -> None:
        if act == "compact":
            trigger = CompactionRun.Trigger.COMMAND
            outcome = request_compaction(session=session, lane=lane, trigger=trigger)
            self.stdout.write(outcome.value)
        elif act == "restore":
            taken = restore_lanes(session=session).taken_at
            self.stdout.write(f"both lanes are as they were at {taken:%Y-%m-%d %H:%M:%S}")
        elif act == "end":
            begun = end_session(session=session, reason=Session.EndReason.EXPLICIT)
            self.stdout.write("ending" if begun else "it has ended already")
        else:
            self._show(session)

    def _show(self, session: Session) -> None:
        self.stdout.write(f"{session.pk} {session.state} {session.strategy}")
        for window in LaneWindow.objects.filter(session=session).order_by("-lane"):
            folded = window.start_seq - 1 - len(window.kept)
            self.stdout.write(
                f"  {window.lane}: {window.last_seq} events, {folded} of them folded "
                f"into {window.summary_tokens} tokens"
            )
        for run in latest_runs(session):
            self.stdout.write(
                f"  {run.lane}: {run.trigger} compaction {run.state} {run.error_code}"
            )
        for step in session.steps.all():
            self.stdout.write(f"  {step.name} {step.state} {step.error_code}")


HELP = {
    "show": "its lanes, compactions and steps",
    "compact": "fold what may leave the prompt, in the background",
    "restore": "put both lanes back to the latest heartbeat",
    "end": "close its log and finish it in the background",
}
