"""What may happen to the sessions of an owner, in any order, as rules for hypothesis."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial

from django.utils import timezone
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from accounts.errors import IdempotencyConflict
from consolidation import snapshots, sweep
from consolidation.compaction.request import Outcome, request_compaction
from consolidation.intake import accept_events, accept_transcript, end_session
from consolidation.models import Job
from consolidation.snapshots import beat_session
from consolidation.stopping import end_open_sessions, stop_agent
from consolidation.usage import Usage
from memory.budget import estimate_message
from memory.errors import NoSnapshot, SessionClosed
from memory.messages import call_ids, text_of
from memory.models import LaneWindow, Session
from memory.snapshots import restore_lanes
from recall.assembly import assemble_context
from recall.errors import BudgetTooSmall
from tests.consolidation.prompts import check_prompt
from tests.consolidation.scripted_chat import FAULTS, Killed
from tests.consolidation.world import LANES, SWEEP, Tracked, World

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
    "promote.mid_apply",
)
STRATEGIES = Session.Strategy.values
MOST_SESSIONS = 12
MOST_JOBS = 2
ANY = 5
PICK = st.integers(0, ANY)
LANE = st.sampled_from(LANES)
# Builds a world in which an agent has these limits.
Make = Callable[[dict[str, int]], World]


class SessionMachine(RuleBasedStateMachine):
    """One owner's sessions. `steps` counts the steps of all examples."""

    steps = 0
    make: Make
    world: World

    @initialize(
        window=st.integers(4, 14),
        context=st.sampled_from([2_500, 4_000, 16_000]),
        mid_term=st.integers(1, 3),
    )
    def begin(self, window: int, context: int, mid_term: int) -> None:
        self.world = type(self).make(
            {"window_events": window, "context_tokens": context, "mid_term_sessions": mid_term}
        )

    def pick(self, place: int) -> Tracked:
        """Return mostly the newest open session, sometimes the one before, seldom any at all."""
        world = self.world
        running = [tracked for tracked in world.sessions if tracked.is_open]
        if place == ANY:
            return world.sessions[len(world.sent) % len(world.sessions)]
        if not running:
            if len(world.sessions) == MOST_SESSIONS:
                return world.sessions[-1]
            world.open(STRATEGIES[len(world.sessions) % len(STRATEGIES)], "")
            return world.sessions[-1]
        return running[-1 - (place // 3) % len(running)]

    # --- sessions begin and events come ---

    @rule(strategy=st.sampled_from(STRATEGIES), name=st.sampled_from(["", "a", "b"]))
    def open(self, strategy: str, name: str) -> None:
        if len(self.world.sessions) < MOST_SESSIONS:
            self.world.open(strategy, name)

    @rule(place=PICK, lane=LANE, turns=st.integers(1, 4), usage=st.integers(0, 30_000))
    def talk(self, place: int, lane: str, turns: int, usage: int) -> None:
        """Let the user and the model speak in turn; the client may say what its prompt cost."""
        tracked = self.pick(place)
        for _ in range(turns):
            self._talk(tracked, lane)
        if usage > 100:
            said = [self.world.draft("ModelOutput", lane)]
            self.append(tracked, said, usage=Usage(prompt_tokens=usage))

    def _talk(self, tracked: Tracked, lane: str) -> None:
        draft = partial(self.world.draft, lane=lane)
        self.append(tracked, [draft("UserMsg"), draft("ModelOutput")])

    @rule(
        place=PICK,
        lane=LANE,
        kind=st.sampled_from(["UserMsg", "ModelOutput", "InjectedInstruction"]),
    )
    def say(self, place: int, lane: str, kind: str) -> None:
        self.append(self.pick(place), [self.world.draft(kind, lane)])

    @rule(place=PICK)
    def brief(self, place: int) -> None:
        tracked = self.pick(place)
        if len(tracked.lanes["core"].numbers("CoreJobStart")) < MOST_JOBS:
            self.append(tracked, [self.world.draft("CoreJobStart", "core")])

    @rule(place=PICK, lane=LANE, calls=st.integers(1, 3))
    def call_tools(self, place: int, lane: str, calls: int) -> None:
        self.append(self.pick(place), [self.world.draft("ModelOutput", lane, calls=calls)])

    @rule(
        place=PICK,
        lane=LANE,
        rounds=st.integers(1, 6),
        calls=st.integers(1, 3),
        split=st.booleans(),
    )
    def work_alone(self, place: int, lane: str, rounds: int, calls: int, split: bool) -> None:
        """Let the model use its tools for a while without a word from the user."""
        tracked, draft = self.pick(place), self.world.draft
        for _ in range(rounds):
            asked = draft("ModelOutput", lane, calls=calls)
            ids = sorted(call_ids(asked.payload))
            results = [draft("ToolResultCommitted", lane, call) for call in ids]
            batches = [[asked, *results[:1]], results[1:]] if split else [[asked, *results]]
            for batch in filter(None, batches):
                self.append(tracked, batch)

    @rule(place=PICK, lane=LANE, which=PICK, most=st.integers(1, 3))
    def return_results(self, place: int, lane: str, which: int, most: int) -> None:
        """Commit results of calls that wait, in any order, soon or late."""
        tracked = self.pick(place)
        pending = tracked.lanes[lane].pending()
        chosen = (pending[which % len(pending) :] if pending else [])[:most]
        drafts = [self.world.draft("ToolResultCommitted", lane, call) for call in chosen]
        if drafts:
            self.append(tracked, drafts)

    @rule(place=PICK, lane=LANE)
    def command(self, place: int, lane: str) -> None:
        draft = self.world.draft("UserMsg", lane)
        draft.payload["content"] = "/compact"
        self.append(self.pick(place), [draft])

    @rule(
        place=PICK, failpoint=st.sampled_from(["", "ingest.before_commit", "ingest.after_commit"])
    )
    def append_with_a_key(self, place: int, failpoint: str) -> None:
        """Append with a key; a client whose server was killed sends the same once more."""
        tracked, world = self.pick(place), self.world
        drafts, key = [world.draft("UserMsg"), world.draft("ModelOutput")], f"key-{len(world.sent)}"
        if not tracked.is_open or not failpoint:
            self.append(tracked, drafts, key=key)
            return
        world.arm(failpoint)
        send = partial(accept_events, agent=world.agent, session=tracked.session, key=key)
        with suppress(Killed):
            send(drafts=drafts)
        stored, repeated = send(drafts=drafts)
        assert repeated == (failpoint == "ingest.after_commit")
        world.acknowledge(tracked, drafts, key, [event.pk for event in stored])

    @precondition(lambda self: self.world.sent)
    @rule(which=st.integers(0, 30), is_other=st.booleans())
    def repeat(self, which: int, is_other: bool) -> None:
        """Send a request again: it is answered as before, and another one under its key refused."""
        world, sent = self.world, self.world.sent[which % len(self.world.sent)]
        drafts = [*sent.drafts, world.draft("UserMsg")] if is_other else sent.drafts
        try:
            stored, repeated = accept_events(
                agent=world.agent, session=sent.tracked.session, drafts=drafts, key=sent.key
            )
        except IdempotencyConflict:
            assert is_other
        else:
            assert repeated
            assert [event.pk for event in stored] == sent.ids

    def append(self, tracked: Tracked, drafts: list, key: str = "", **fields) -> None:
        try:
            self.world.append(tracked, drafts, key, **fields)
        except SessionClosed:
            assert not tracked.is_open
        else:
            assert tracked.is_open

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
            assert outcome in Outcome

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
