"""Open a session and begin its end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Greatest
from django.utils import timezone

from accounts.driver import columns, instance, run, width
from accounts.errors import ErasureUnderWay
from accounts.models import Agent, Owner
from accounts.modes import RetentionMode, lowered, mode_named
from accounts.owners import agent_owner, resolve_owner
from memory.errors import ModeUnavailable
from memory.models import LaneWindow, Session, SessionStep
from memory.models.window import Lane

STORED = {RetentionMode.LOCAL: Session.Mode.LOCAL, RetentionMode.SYNCED: Session.Mode.SYNCED}
# What ends a session, in order.
STEPS = ("safe_point", "summary", "arc", "learn", "chunk", "embed", "promote")
FIND = f"""
select {columns(Session, "session")}, {columns(Owner, "owner")}
from memory_session session join accounts_owner owner on owner.id = session.owner_id
where session.id = %s and owner.agent_id = %s
"""  # noqa: S608 - names of our own columns


@dataclass(frozen=True, slots=True)
class Opened:
    session: Session
    is_new: bool


def mode_in_force(name: str) -> RetentionMode:
    """Return the mode asked for, or the server's where that keeps less. Raises ValueError."""
    return lowered(asked=mode_named(name), most=mode_named(settings.MODE))


def find_session(*, agent: Agent, session: UUID) -> Session | None:
    """Return an agent's session with its owner, or None if the agent has not got it."""
    rows = run(FIND, (session, agent.pk))
    if not rows:
        return None
    own = width(Session)
    found, owner = instance(Session, rows[0][:own]), instance(Owner, rows[0][own:])
    found.owner, owner.agent = owner, agent
    return found


def open_session(
    *,
    agent: Agent,
    user: str | None = None,
    external_id: str = "",
    is_own: bool = False,
    mode: str = "local",
    strategy: str = Session.Strategy.REFERENCE_SUMMARY,
    metadata: dict[str, object] | None = None,
) -> Opened:
    """Open a session, or return the open one of the same owner with this `external_id`.

    Without a user the thread named by `external_id` owns the memory; `is_own` makes it the agent's
    own instead. Raises OwnerMissing when both are missing, ModeUnavailable for incognito, which is
    never stored, or ErasureUnderWay; then nothing is written.
    """
    kept = mode_in_force(mode)
    if kept not in STORED:
        raise ModeUnavailable(f"sessions in mode {kept} are not stored")
    owner = (
        agent_owner(agent) if is_own else resolve_owner(agent=agent, user=user, thread=external_id)
    )
    known = Session.objects.open().filter(owner=owner, external_id=external_id)
    found = known.first() if external_id else None
    if found:
        return Opened(found, is_new=False)
    session = Session(
        owner=owner,
        external_id=external_id,
        mode=STORED[kept],
        strategy=strategy,
        metadata=metadata or {},
    )
    try:
        _insert(session)
    except IntegrityError:
        # Between the look and the insert a twin opened it, or the person's erasure began.
        twin = known.first() if external_id else None
        if twin is not None:
            return Opened(twin, is_new=False)
        if Owner.objects.filter(pk=owner.pk).exclude(erasure=None).exists():
            raise ErasureUnderWay("what is known of the person is being deleted") from None
        raise
    return Opened(session, is_new=True)


@transaction.atomic
def _insert(session: Session) -> None:
    session.save(force_insert=True)
    LaneWindow.objects.bulk_create(LaneWindow(session=session, lane=lane) for lane in Lane)


def begin_end(*, session: Session, reason: str, silent_since: datetime | None = None) -> bool:
    """Close the log and note the steps that are due. False if the session was ending already.

    With `silent_since` it ends only if no event has come since then.

    Runs in the caller's transaction, under the session's lock: an event is either before the end
    or refused.
    """
    locked = Session.objects.select_for_update().get(pk=session.pk)
    came = locked.last_event_at if silent_since else None
    if not locked.is_open or (came and silent_since and came >= silent_since):
        return False
    locked.state, locked.end_reason = Session.State.CLOSING, reason
    locked.ended_at = timezone.now()
    locked.save(update_fields=["state", "end_reason", "ended_at"])
    SessionStep.objects.bulk_create(
        SessionStep(session=locked, name=name, position=position)
        for position, name in enumerate(STEPS)
    )
    return True


def raise_crisis_level(*, session: Session, level: int) -> None:
    """Note a reported level; the highest stays."""
    Session.objects.filter(pk=session.pk).update(
        crisis_level_max=Greatest("crisis_level_max", level)
    )


def mark_step(
    *,
    session: Session,
    name: str,
    state: str,
    error_code: str = "",
    details: Mapping[str, object] | None = None,
) -> None:
    """Record how a step of the end went; the session is closed once none is due.

    `details` is what the step counted, None for nothing.
    """
    SessionStep.objects.filter(session=session, name=name).update(
        state=state, error_code=error_code, details=details or {}, changed_at=timezone.now()
    )
    if not SessionStep.objects.filter(session=session, state=SessionStep.State.DUE).exists():
        Session.objects.filter(pk=session.pk).update(state=Session.State.CLOSED)


def note_step(*, session: Session, name: str, details: Mapping[str, object]) -> None:
    """Keep what a step has counted so far; it stays due."""
    SessionStep.objects.filter(session=session, name=name).update(details=details)
