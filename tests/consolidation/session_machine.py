"""What may happen to the sessions of an owner, in any order, as rules for hypothesis."""

from datetime import timedelta

from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from consolidation import sweep
from consolidation.compaction.request import RequestOutcome, request_compaction
from consolidation.intake.accept import accept_transcript, end_session
from consolidation.intake.closing import end_open_sessions, stop_agent
from consolidation.models import Job
from consolidation.session_end import snapshots
from consolidation.session_end.snapshots import beat_session
from memory.budget import estimate_message
from memory.errors import NoSnapshot, SessionClosed
from memory.messages import text_of
from memory.models import LaneWindow, Session
from memory.snapshots import restore_lanes
from recall.errors import BudgetTooSmall
from recall.prompt.assembly import assemble_context
from tests.consolidation.prompts import check_prompt
from tests.consolidation.scripted_chat import FAULTS, Killed
from tests.consolidation.talking_machine import LANE, PICK, TalkingMachine
from tests.consolidation.world import SWEEP, Tracked

FAILPOINTS = (
    "job.after_claim",
    "job.after_pin",
    "job.after_reply",
    "job.mid_apply",
    "job.after_apply",
    "compact.after_archive",
    "compact.after_marker",
    "embed.before_write",
    "embed.mid_batch",
    "arc.mid_apply",
    "learn.after_reply",
    "learn.mid_write",
    "promote.mid_apply",
    "reconcile.after_reply",
)


class SessionMachine(TalkingMachine):
    """One owner's sessions, their folds and their ends, and all that goes wrong meanwhile."""

    # --- compaction, and what goes wrong in it ---

    @rule(place=PICK, lane=LANE, trigger=st.sampled_from(["api", "tool", "command", "admin"]))
    def compact(self, place: int, lane: str, trigger: str) -> None:
        self._compact(self.pick(place), lane, trigger)

    def _compact(self, tracked: Tracked, lane: str, trigger: str) -> None:
        try:
            outcome = request_compaction(session=tracked.session, lane=lane, trigger=trigger)
        except SessionClosed:
            assert not tracked.is_open
        else:
            assert tracked.is_open
            assert outcome in RequestOutcome

    @rule()
    def work_once(self) -> None:
        self.world.jobs(rounds=1, limit=1)

    @rule()
    def work(self) -> None:
        self.world.jobs()

    @rule(failpoint=st.sampled_from(FAILPOINTS), limit=st.integers(1, 3))
    def work_and_be_killed(self, failpoint: str, limit: int) -> None:
        self.world.arm(failpoint)
        self.world.jobs(rounds=3, limit=limit)
        self.world.disarm()

    @rule(faults=st.lists(st.sampled_from(["fine", *FAULTS]), min_size=1, max_size=4))
    def work_with_a_bad_model(self, faults: list[str]) -> None:
        self.world.chat.script = [FAULTS.get(name, lambda: None) for name in faults]
        self.world.jobs(rounds=2, limit=2)
        self.world.chat.script = []

    @rule()
    def work_with_a_bad_delta(self) -> None:
        self.world.chat.has_bad_delta = True
        self.world.jobs(rounds=2)
        self.world.chat.has_bad_delta = False

    @rule(
        place=PICK,
        lane=LANE,
        what=st.sampled_from(["talk", "compact", "beat", "restore", "end", "build"]),
        ahead=st.integers(0, 2),
    )
    def work_while_something_happens(self, place: int, lane: str, what: str, ahead: int) -> None:
        """Let something happen while a model is asked, before its answer is applied."""
        acts = {
            "talk": lambda: self._talk(self.pick(place), lane),
            "compact": lambda: self._compact(self.pick(place), lane, "api"),
            "beat": lambda: self._beat(self.pick(place)),
            "restore": lambda: self._restore(self.pick(place)),
            "end": lambda: self._end(self.pick(place), "explicit"),
            "build": lambda: self._build(self.pick(place), lane, None),
        }
        self.world.chat.script = [*[lambda: None] * ahead, acts[what]]
        self.world.jobs(rounds=2)
        self.world.chat.script = []

    @rule()
    def sweep(self) -> None:
        sweep.run(SWEEP)

    @rule()
    def look_again_at_the_dead(self) -> None:
        """Let attempts that were spent be forgotten, as an operator's retry does."""
        Job.objects.filter(state=Job.State.DEAD).update(state=Job.State.CANCELLED)
        sweep.run(SWEEP)

    # --- snapshots and the way back ---

    @rule(place=PICK)
    def beat(self, place: int) -> None:
        self._beat(self.pick(place))

    @rule(place=PICK)
    def restore(self, place: int) -> None:
        self._restore(self.pick(place))

    @rule()
    def beat_all(self) -> None:
        """Take the periodic snapshots: of open sessions in which something has happened."""
        newest = dict(self._newest_snapshots())
        snapshots.run(SWEEP)
        for tracked, taken in self._newest_snapshots():
            if taken != newest[tracked]:
                self._note_snapshot(tracked)

    def _newest_snapshots(self) -> list[tuple[Tracked, int]]:
        found = [(one, one.session.snapshots.order_by("pk").last()) for one in self.world.sessions]
        return [(tracked, snapshot.pk if snapshot else 0) for tracked, snapshot in found]

    def _beat(self, tracked: Tracked) -> None:
        if tracked.is_open:
            self.world.absorb()
            beat_session(session=tracked.session)
            self._note_snapshot(tracked)

    def _note_snapshot(self, tracked: Tracked) -> None:
        tracked.has_snapshot = True
        for lane in tracked.lanes.values():
            lane.at_snapshot = set(lane.folded)

    def _restore(self, tracked: Tracked) -> None:
        self.world.absorb()
        try:
            restore_lanes(session=tracked.session)
        except (SessionClosed, NoSnapshot):
            assert not (tracked.is_open and tracked.has_snapshot)
            return
        assert tracked.is_open
        if tracked.session.strategy == Session.Strategy.REFERENCE_SUMMARY:
            for lane in tracked.lanes.values():
                lane.folded = set(lane.at_snapshot)

    # --- prompts ---

    @rule(
        place=PICK,
        lane=LANE,
        budget=st.one_of(st.none(), st.integers(1, 3_000), st.integers(1, 40_000)),
    )
    def build(self, place: int, lane: str, budget: int | None) -> None:
        self._build(self.pick(place), lane, budget)

    def _build(self, tracked: Tracked, lane: str, budget: int | None) -> None:
        agent, session = self.world.agent, tracked.session
        window = LaneWindow.objects.get(session=session, lane=lane)
        most = budget or agent.context_tokens * 0.9
        events = tracked.lanes[lane].events
        never_left_out = [*tracked.lanes[lane].numbers("CoreJobStart")]
        never_left_out += tracked.lanes[lane].numbers("UserMsg")[-1:]
        words = [text_of(events[seq - 1].payload) for seq in never_left_out]
        fixed = [text for text in (agent.behaviour if lane == "edge" else "",) if text]
        needed = sum(estimate_message(text) for text in [*words, *fixed])
        try:
            prompt = assemble_context(session=session, lane=lane, max_tokens=budget)
        except BudgetTooSmall:
            assert needed > int(most / window.calibration)
            return
        assert needed <= int(most / window.calibration)
        check_prompt(prompt, tracked, lane, most, window.calibration)

    # --- ends ---

    @rule(
        place=PICK,
        path=st.sampled_from(["explicit", "web", "silence", "transcript"]),
    )
    def end(self, place: int, path: str) -> None:
        self._end(self.pick(place), path)

    @precondition(lambda self: len(self.world.sessions) > 2)
    @rule(is_agent=st.booleans())
    def end_all(self, is_agent: bool) -> None:
        """Stop the agent, or the server."""
        begun = (
            stop_agent(agent=self.world.agent, actor="test") if is_agent else end_open_sessions()
        )
        assert begun == sum(tracked.is_open for tracked in self.world.sessions)
        for tracked in self.world.sessions:
            tracked.is_open = False

    @rule(place=PICK)
    def be_killed_while_ending(self, place: int) -> None:
        self.world.arm("close.after_state")
        try:
            end_session(session=self.pick(place).session, reason="explicit")
        except Killed:
            pass
        finally:
            self.world.disarm()

    def _end(self, tracked: Tracked, path: str) -> None:
        if path == "silence":
            long_ago = timezone.now() - timedelta(minutes=21)
            Session.objects.filter(pk=tracked.session.pk).update(
                last_event_at=long_ago, opened_at=long_ago
            )
            sweep.run(SWEEP)
        elif path == "transcript":
            self._end_by_transcript(tracked)
        else:
            begun = end_session(session=tracked.session, reason=path)
            assert begun == tracked.is_open
        tracked.is_open = False

    def _end_by_transcript(self, tracked: Tracked) -> None:
        drafts = [self.world.draft("UserMsg"), self.world.draft("ModelOutput")]
        try:
            stored, _ = accept_transcript(
                agent=self.world.agent, session=tracked.session, drafts=drafts
            )
        except SessionClosed:
            assert not tracked.is_open
        else:
            assert tracked.is_open
            self.world.acknowledge(tracked, drafts, "", [event.pk for event in stored])

    # --- what must hold ---

    @invariant()
    def nothing_is_lost(self) -> None:
        if hasattr(self, "world"):
            type(self).steps += 1
            self.world.check()

    def teardown(self) -> None:
        if not hasattr(self, "world"):
            return
        world = self.world
        world.settle()
        world.check()
        end_open_sessions()
        for tracked in world.sessions:
            tracked.is_open = False
        world.settle()
        world.check()
        world.check_ended()
