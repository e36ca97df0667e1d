"""The job of an imported session: it is learned from in batches of messages, behind what is live."""

import time
from collections.abc import Sequence

from accounts.billing import charged_to
from consolidation.jobs.queue import Attempt, enqueue, holding
from consolidation.learning.job import learn_turn
from consolidation.learning.lanes import LANES
from consolidation.learning.policies import POLICIES
from consolidation.learning.request import BATCH_KIND, batched, may_learn, subject_of
from consolidation.learning.turn import key_of, load_turn, range_of
from consolidation.models import LearningRun
from consolidation.models.priorities import Priority
from memory.models import Session
from memory.user_turns import user_turns

# Of the user's messages in one job. What is learned of each is written by itself, so that whoever
# is killed goes on where it stopped.
MOST_MESSAGES = 20
# After this a batch gives way to what is live, and is asked for again.
ROUND_SECONDS = 5.0


def request_batches(session: Session, turns: Sequence[int]) -> None:
    """Make a job for each batch of the user's messages, in the caller's transaction.

    `turns` are their numbers in order. A batch that waits already is not made again.
    """
    for start in range(0, len(turns), MOST_MESSAGES):
        batch = turns[start : start + MOST_MESSAGES]
        enqueue(
            kind=BATCH_KIND,
            key=key_of(session, batch[0], batch[-1]),
            subject=subject_of(session),
            owner=session.owner_id,
            priority=Priority.STUDY,
        )


def run(job: Attempt) -> None:
    """Learn from the messages of a batch that nobody has learned from yet.

    Raises Postponed when the provider cannot answer: what was learned is kept, and the rest waits.
    """
    session_id, first, last = range_of(job.key)
    sessions = Session.objects.select_related("owner__agent__organization")
    session = sessions.filter(pk=session_id).first()
    if session is None or not may_learn(session):
        return
    said = [turn.seq for turn in user_turns(session) if first <= turn.seq <= last]
    with charged_to(session.owner, session=session.pk):
        if not learn_batch(job, session, left_of(session, said)):
            request_batches(session, said)


def learn_batch(job: Attempt, session: Session, turns: Sequence[int]) -> bool:
    """Learn from messages of the user, by their numbers; False if the time was over before the end.

    As many as the agent's policy asks about at once are asked about together. Raises Postponed.
    """
    ends = time.monotonic() + ROUND_SECONDS
    most = POLICIES[session.owner.agent.learning_policy].most_messages
    for place, part in enumerate(batched(turns, most)):
        if place and time.monotonic() > ends:
            return False
        turn = load_turn(key_of(session, part[0], part[-1]))
        if turn is None:
            continue
        waits = list(learn_turn(job, turn))
        if waits:
            raise waits[0]
        with holding(job):
            # Nothing to write: it lengthens the lease.
            pass
    return True


def left_of(session: Session, turns: Sequence[int]) -> list[int]:
    """Return those of the user's messages in which a lane has not ended."""
    over = (LearningRun.State.DONE, LearningRun.State.FAILED)
    ended = LearningRun.objects.filter(session=session, state__in=over)
    ranges = [(first, max(first, last)) for first, last in ended.values_list("turn", "last_turn")]

    def lanes_of(seq: int) -> int:
        return sum(first <= seq <= last for first, last in ranges)

    return [seq for seq in turns if lanes_of(seq) < len(LANES)]
