"""What may be said in the sessions of an owner, as rules for hypothesis."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from accounts.errors import IdempotencyConflict
from consolidation.intake.accept import accept_events
from consolidation.intake.calibration import ReportedUsage
from memory.errors import SessionClosed
from memory.messages import call_ids
from memory.models import Session
from tests.consolidation.scripted_chat import Killed
from tests.consolidation.world import LANES, Tracked, World

STRATEGIES = Session.Strategy.values
MOST_SESSIONS = 12
MOST_JOBS = 2
ANY = 5
PICK = st.integers(0, ANY)
LANE = st.sampled_from(LANES)
# Builds a world in which an agent has these limits.
Make = Callable[[dict[str, int]], World]


class TalkingMachine(RuleBasedStateMachine):
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
            self.append(tracked, said, usage=ReportedUsage(prompt_tokens=usage))

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
