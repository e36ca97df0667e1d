"""Ask for a turn to be learned from, once it has been answered; the asking never waits for it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from django.conf import settings
from django.db import transaction

from accounts.driver import run
from accounts.models import Owner
from consolidation.jobs.queue import enqueue
from consolidation.learning.policies import POLICIES
from consolidation.learning.turn import key_of, range_of
from consolidation.models import Job, LearningRun
from consolidation.models.job import JobQuerySet
from memory.models import Event, Session
from memory.models.window import Lane

KIND, BATCH_KIND = "learn", "learn_session"
MODES = frozenset({Session.Mode.LOCAL, Session.Mode.SYNCED})
# Behind every number that an event of a lane may have.
AFTER_ALL = 2**31 - 1
USER, MODEL = Event.Type.USER_MSG, Event.Type.MODEL_OUTPUT
# What the user has said since the last answer; one that only calls tools is none yet. Sent with
# every answer that is stored, so past the ORM.
WAITING = """
select seq from memory_event
where session_id = %(session)s and lane = 'edge' and type = 'UserMsg' and seq < %(before)s
  and seq > coalesce((
    select seq from memory_event
    where session_id = %(session)s and lane = 'edge' and type = 'ModelOutput' and seq < %(before)s
      and payload #> '{tool_calls,0}' is null
    order by seq desc limit 1), 0)
order by seq
"""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message of the user, or what is not one; `is_answer` is what ends a turn."""

    seq: int
    is_user: bool
    is_answer: bool


def learn_what_was_answered(*, session: Session, stored: Sequence[Event]) -> None:
    """Make a job for each message of the user that new events answer, in the caller's transaction."""
    spoken = [_spoken(event) for event in stored if event.lane == Lane.EDGE]
    if not any(one.is_answer for one in spoken) or not may_learn(session):
        return
    learn_from(session=session, turns=answered([*_waiting(session, before=spoken[0].seq), *spoken]))


@transaction.atomic
def learn_what_waits(*, session: Session) -> None:
    """Make a job for each message of the user that nobody answers with words to be stored, once."""
    if may_learn(session):
        waiting = [one.seq for one in _waiting(session, before=AFTER_ALL)]
        learn_from(session=session, turns=not_learned_from(session, waiting))


def learn_from(*, session: Session, turns: Iterable[int]) -> None:
    """Make jobs for messages of the user, named by their numbers, in the caller's transaction.

    As many as the agent's policy asks about at once make one job.
    """
    for batch in batched(turns, POLICIES[session.owner.agent.learning_policy].most_messages):
        enqueue(
            kind=KIND,
            key=key_of(session, batch[0], batch[-1]),
            subject=subject_of(session),
            owner=session.owner_id,
        )


def batched(turns: Iterable[int], most: int) -> Iterator[list[int]]:
    """Yield the numbers in their order, at most so many at a time."""
    rest = iter(sorted(turns))
    while batch := list(islice(rest, most)):
        yield batch


def may_learn(session: Session) -> bool:
    """Say whether a session is to be learned from: a person's, of an agent that learns."""
    is_persons = session.owner.kind != Owner.Kind.AGENT
    has_model = settings.CHAT != "null"
    return session.mode in MODES and is_persons and has_model and session.owner.agent.learns


def is_learning(session: Session) -> bool:
    """Say whether turns of the session are still to be learned from; dead jobs are not waited for."""
    return jobs_of(session).open().exists()


def jobs_of(session: Session) -> JobQuerySet:
    """Return the jobs that learn from the session's turns, those that have ended as well."""
    found: JobQuerySet = Job.objects.filter(
        kind__in=(KIND, BATCH_KIND), subject=subject_of(session)
    )
    return found


def not_learned_from(session: Session, turns: Iterable[int]) -> list[int]:
    """Return those of the user's messages of which nobody has learned, nor tried to."""
    runs = LearningRun.objects.filter(session=session).values_list("turn", "last_turn")
    ranges = [(first, max(first, last)) for first, last in runs]
    waiting = jobs_of(session).open().values_list("key", flat=True)
    ranges += [range_of(key)[1:] for key in waiting]
    # By its key: of an index that knows the ended ones as well.
    keys = {key_of(session, seq, seq): seq for seq in turns}
    ended = Job.objects.filter(kind=KIND, key__in=keys).values_list("key", flat=True)
    ranges += [(keys[key], keys[key]) for key in ended]
    return [seq for seq in keys.values() if not any(first <= seq <= last for first, last in ranges)]


def answered(spoken: Iterable[Spoken]) -> Iterator[int]:
    """Yield the numbers of the user's messages that an answer follows."""
    waiting: list[int] = []
    for one in spoken:
        if one.is_user:
            waiting.append(one.seq)
        elif one.is_answer:
            yield from waiting
            waiting.clear()


def _waiting(session: Session, *, before: int) -> list[Spoken]:
    """Return what the user has said since the last answer."""
    rows = run(WAITING, {"session": session.pk, "before": before})
    return [Spoken(int(seq), is_user=True, is_answer=False) for (seq,) in rows]


def _spoken(event: Event) -> Spoken:
    is_answer = event.type == MODEL and not event.content.get("tool_calls")
    return Spoken(event.seq, is_user=event.type == USER, is_answer=is_answer)


def subject_of(session: Session) -> str:
    """Return what the jobs that learn from a session take turns by."""
    # Not the session's own: its turns keep their order, and neither folding nor its end waits in it.
    return f"learn:{session.pk}"
