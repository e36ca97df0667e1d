"""Sessions of one owner beside a model of what must have become of them."""

import random
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from django.db import connection

from accounts.errors import Fault
from accounts.models import Agent
from consolidation import sweep
from consolidation.compaction.ask import LEAST_CHARACTERS
from consolidation.intake.accept import accept_events
from consolidation.job_kinds import run_job
from consolidation.jobs import queue
from consolidation.models import CompactionRun, Job
from knowledge.models import Entry, SavedFact
from knowledge.notes.store import find_entry
from knowledge.workspace.folder import folder_of
from knowledge.workspace.names import File
from memory.events import verify_chain
from memory.messages import Draft, call_ids, text_of
from memory.models import Chunk, CompactMarker, Event, LaneWindow, Session, SessionStep, Snapshot
from memory.sessions import STEPS, open_session
from tests.consolidation.scripted_chat import Killed, ScriptedChat

SWEEP = queue.Attempt(0, "sweep", "periodic", "", 0, 0, 0)
LANES = ("edge", "core")
# More than a line needs to be asked for facts, and few enough lines for one answer.
TEXT = "and so on, as it was said before; " * 13
JOB_ROUNDS = 60


@dataclass(slots=True)
class Lane:
    """What was acknowledged, in order, and which of it must have left the view."""

    events: list[Draft] = field(default_factory=list)
    folded: set[int] = field(default_factory=set)
    at_snapshot: set[int] = field(default_factory=set)

    def numbers(self, kind: str) -> list[int]:
        return [seq for seq, draft in enumerate(self.events, 1) if draft.type == kind]

    def pending(self) -> list[str]:
        """Return the calls that have no result yet."""
        calls = [call for draft in self.events for call in sorted(call_ids(draft.payload))]
        answered = {draft.tool_call_id for draft in self.events}
        return [call for call in calls if call not in answered]


@dataclass(slots=True, eq=False)
class Tracked:
    """A session and its model."""

    session: Session
    is_open: bool = True
    has_snapshot: bool = False
    lanes: dict[str, Lane] = field(default_factory=lambda: {lane: Lane() for lane in LANES})


@dataclass(frozen=True, slots=True)
class Sent:
    """A request with a key, and the ids it was answered with."""

    tracked: Tracked
    drafts: list[Draft]
    key: str
    ids: list[object]


class World:
    """Does things to sessions the way the application does, and keeps the model beside them."""

    def __init__(self, agent: Agent, chat: ScriptedChat, failpoints: Path) -> None:
        self.agent, self.chat, self.failpoints = agent, chat, failpoints
        self.sessions: list[Tracked] = []
        self.sent: list[Sent] = []
        self.numbers = count(1)
        self._absorbed: set[int] = set()
        self.open("reference_summary", "")

    # --- what is done ---

    def open(self, strategy: str, name: str) -> None:
        opened = open_session(agent=self.agent, user="alice", external_id=name, strategy=strategy)
        if opened.is_new:
            sessions = Session.objects.select_related("owner__agent__organization")
            self.sessions.append(Tracked(sessions.get(pk=opened.session.pk)))

    def draft(self, kind: str, lane: str = "edge", answers: str = "", calls: int = 0) -> Draft:
        number = next(self.numbers)
        text = f"{kind} number {number}: {TEXT * random.choice((1, 1, 2))}"
        payload: dict[str, object] = {"content": text}
        if calls:
            made = [(f"call-{number}-{place}", TEXT) for place in range(calls)]
            payload["tool_calls"] = [
                {"id": id, "type": "function", "function": {"name": "look", "arguments": words}}
                for id, words in made
            ]
        return Draft(kind, payload, lane, answers)

    def append(self, tracked: Tracked, drafts: list[Draft], key: str = "", **fields) -> None:
        stored, repeated = self.accept(tracked, drafts, key=key or None, **fields)
        assert not repeated
        self.acknowledge(tracked, drafts, key, [event.pk for event in stored])

    def accept(self, tracked: Tracked, drafts: list[Draft], **fields) -> tuple[list[Event], bool]:
        return accept_events(agent=self.agent, session=tracked.session, drafts=drafts, **fields)

    def acknowledge(self, tracked: Tracked, drafts: list[Draft], key: str, ids: list) -> None:
        for draft in drafts:
            tracked.lanes[draft.lane].events.append(draft)
        if key:
            self.sent.append(Sent(tracked, drafts, key, ids))

    def arm(self, name: str) -> None:
        (self.failpoints / name).write_text("raise")

    def disarm(self) -> None:
        for path in self.failpoints.iterdir():
            path.unlink()

    def jobs(self, rounds: int = JOB_ROUNDS, limit: int = 100) -> None:
        """Do due jobs as a worker would; a kill leaves them as it finds them."""
        for _ in range(rounds):
            self.time_passes()
            due = queue.take(limit)
            for job in due:
                self.job(job)
            if not due:
                return

    def job(self, job: int) -> None:
        try:
            run_job(job)
        except Killed:
            pass
        finally:
            self.absorb()

    def time_passes(self) -> None:
        """Let every wait and every lease end: no worker is alive between two steps."""
        with connection.cursor() as cursor:
            cursor.execute(
                "update consolidation_job set not_before = now(), dispatched_at = null, "
                "lease_until = now() - interval '1 second' where state in ('due', 'running')"
            )

    def absorb(self) -> None:
        """Take what was folded into the model."""
        runs = CompactionRun.objects.filter(state="applied", session__in=self.ids())
        by_session = {tracked.session.pk: tracked for tracked in self.sessions}
        for run in runs.exclude(pk__in=self._absorbed).order_by("finished_at"):
            self._absorbed.add(run.pk)
            by_session[run.session_id].lanes[run.lane].folded |= set(run.folded)

    def follow_windows(self) -> None:
        """Take what is folded from the windows themselves: among threads nobody else knows."""
        self.absorb()
        for tracked in self.sessions:
            for name, lane in tracked.lanes.items():
                window = LaneWindow.objects.get(session=tracked.session, lane=name)
                lane.folded = set(range(1, window.start_seq)) - set(window.kept)

    def ids(self) -> list[object]:
        return [tracked.session.pk for tracked in self.sessions]

    def settle(self) -> None:
        """Do all that is left once nothing fails any more."""
        self.disarm()
        self.chat.script, self.chat.has_bad_delta = [], False
        for _ in range(3):
            for job in Job.objects.filter(state=Job.State.DEAD):
                try:
                    queue.retry(job)
                except Fault:
                    continue
            self.jobs()
            sweep.run(SWEEP)
        self.jobs()

    # --- what must hold ---

    def check(self) -> None:
        self.absorb()
        assert not self.chat.asked_within_a_transaction
        for tracked in self.sessions:
            assert verify_chain(tracked.session) == []
            for name, lane in tracked.lanes.items():
                self._check_log(tracked, name, lane)
                self._check_view(tracked, name, lane)
        self._check_archives()
        self._check_facts()
        self._check_tiers()

    def _check_log(self, tracked: Tracked, name: str, lane: Lane) -> None:
        events = Event.objects.filter(session=tracked.session, lane=name).order_by("seq")
        stored = [(event.seq, event.type, event.payload) for event in events]
        assert stored == [(n, one.type, one.payload) for n, one in enumerate(lane.events, 1)]

    def _check_view(self, tracked: Tracked, name: str, lane: Lane) -> None:
        window = LaneWindow.objects.get(session=tracked.session, lane=name)
        shown = [*window.kept, *range(window.start_seq, window.last_seq + 1)]
        every = set(range(1, len(lane.events) + 1))
        assert len(shown) == len(set(shown))
        assert set(shown) == every - lane.folded
        assert set(lane.numbers("UserMsg")[-1:]) <= set(shown)
        assert set(lane.numbers("CoreJobStart")) <= set(shown)
        markers = CompactMarker.objects.filter(session=tracked.session, lane=name)
        covered = [seq for marker in markers for seq in marker.folded]
        assert lane.folded <= set(covered)
        if tracked.session.strategy != Session.Strategy.REFERENCE_SUMMARY:
            assert sorted(covered) == sorted(lane.folded)
        left: set[int] = set()
        for marker in markers:
            assert_whole(lane, set(marker.folded), marker.seq, left)
            left |= set(marker.folded)

    def _check_archives(self) -> None:
        markers = list(CompactMarker.objects.filter(session__in=self.ids()))
        owner = self.sessions[0].session.owner
        archives = Entry.objects.filter(owner=owner, kind=Entry.Kind.ARCHIVE)
        names = [marker.archive_name for marker in markers]
        assert len(set(names)) == len(names)
        assert set(names) == set(archives.values_list("name", flat=True))
        assert all(find_entry(owner=owner, name=name) for name in names)
        runs = CompactionRun.objects.filter(session__in=self.ids(), state="applied")
        assert len(names) == runs.exclude(folded=[]).count()

    def _check_facts(self) -> None:
        owner = self.sessions[0].session.owner
        saved = set(SavedFact.objects.filter(owner=owner).values_list("key", flat=True))
        path = folder_of(owner) / File.MEMORY
        notes = path.read_text(encoding="utf-8") if path.exists() else ""
        for tracked in self.sessions:
            for name, lane in tracked.lanes.items():
                events = Event.objects.filter(session=tracked.session, lane=name)
                for event in events.filter(seq__in=lane.folded):
                    is_short = len(text_of(event.content)) < LEAST_CHARACTERS
                    if not is_short and event.reference not in self.chat.without_a_fact:
                        assert event.reference in saved
                        assert event.reference in notes

    def _check_tiers(self) -> None:
        for session in Session.objects.filter(pk__in=self.ids()):
            tiers = set(Chunk.objects.filter(session=session).values_list("tier", flat=True))
            allowed = {
                "": set(),
                "mid_term": {"mid_term"},
                "long_term": {"long_term_detail", "long_term_summary"},
            }
            assert tiers <= allowed[session.tier]

    def check_ended(self) -> None:
        """Check that every session has ended, each step once in effect."""
        sessions = Session.objects.filter(pk__in=self.ids())
        for session in sessions:
            assert session.state == Session.State.CLOSED
            steps = SessionStep.objects.filter(session=session)
            assert {step.state for step in steps} <= {"done", "skipped"}
            assert steps.count() == len(STEPS)
            assert Job.objects.filter(kind="finalise", key=str(session.pk)).count() == 1
            assert Snapshot.objects.filter(session=session, is_final=True).count() == 1
        # One in which nothing was said takes nobody's place.
        spoken = sessions.filter(last_event_at__isnull=False)
        mid_term = spoken.filter(tier="mid_term").count()
        assert mid_term == min(spoken.count(), self.agent.mid_term_sessions)
        assert spoken.filter(tier="long_term").count() == spoken.count() - mid_term
        for tracked in self.sessions:
            for name, lane in tracked.lanes.items():
                assert_covered(tracked, name, len(lane.events))


def assert_whole(lane: Lane, folded: set[int], last_seq: int, left: set[int]) -> None:
    """Check that a fold took calls with all results that there were when it was planned.

    A call that the user did not wait for may have `left` before its result came.
    """
    caller = {
        call: seq for seq, draft in enumerate(lane.events, 1) for call in call_ids(draft.payload)
    }
    for seq, draft in enumerate(lane.events[:last_seq], 1):
        if draft.tool_call_id and caller[draft.tool_call_id] not in left:
            assert (seq in folded) == (caller[draft.tool_call_id] in folded)


def assert_covered(tracked: Tracked, name: str, events: int) -> None:
    """Check that each event stands in the chunks, and in one block only."""
    chunks = Chunk.objects.filter(session=tracked.session, lane=name, first_seq__gt=0)
    blocks = set(chunks.values_list("block", "first_seq", "last_seq"))
    covered = sorted(seq for _, first, last in blocks for seq in range(first, last + 1))
    assert covered == list(range(1, events + 1))
    text = "\n".join(chunks.order_by("first_seq", "passage").values_list("text", flat=True))
    for draft in tracked.lanes[name].events:
        assert text_of(draft.payload).split(":")[0] in text
