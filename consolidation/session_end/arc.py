"""The arc of an ended session: whether there is one, what it says, and those of earlier ones."""

import logging
from collections.abc import Iterable, Sequence, Set

from django.conf import settings

from accounts.owners import scope_of
from consolidation import prompts
from consolidation.learning.gate.cues import is_memory_control
from consolidation.learning.gate.small_talk import is_small_talk
from consolidation.learning.policies import POLICIES
from consolidation.learning.request import may_learn
from consolidation.lines import lines_of, pieces
from consolidation.verdict import REASON_CHARACTERS, VerdictCode
from extraction.contracts.learning import ArcSummary, SessionArc
from knowledge.changes.apply import Evidence, ItemChange
from knowledge.models import Arc, ChangeItem, Changeset
from knowledge.models.learned import LearnedQuerySet, SourceClass, Timing
from memory.models import Event, Session
from memory.models.window import Lane
from memory.redaction import redacted
from memory.user_turns import UserTurn, user_turns
from providers.chat import Line
from providers.errors import ProviderFault
from providers.registry import chat_model

log = logging.getLogger(__name__)
POLICY_VERSION = "arc-2"
LEAST_TURNS = 3
MOST_SOURCES = 100
MOST_EARLIER = 100
# Results of tools are left out: what they say is not the user's.
SPOKEN = (Event.Type.USER_MSG, Event.Type.MODEL_OUTPUT)


def is_substantive(turns: Sequence[UserTurn]) -> bool:
    """Say whether enough was said for an arc to be asked for."""
    return sum(not is_small_talk(turn.text) for turn in turns) >= LEAST_TURNS


def unwanted_refs(session: Session, turns: Sequence[UserTurn]) -> frozenset[str]:
    """Return the messages that ask to keep something to themselves, and those that they speak of.

    Where the model decides on that, they are muted by now and none of the turns.
    """
    if not POLICIES[session.owner.agent.learning_policy].is_cue_enough:
        return frozenset()
    asks = [place for place, turn in enumerate(turns) if is_memory_control(turn.text)]
    # "Don't save that" is said of the message before as well.
    return frozenset(turn.ref for place in asks for turn in turns[max(place - 1, 0) : place + 1])


def arc_key(session: Session) -> str:
    return f"arc:{session.pk}"


def propose_arc(session: Session, *, crisis_level_max: int = 0) -> tuple[ItemChange | None, str]:
    """Return the change that adds the session's arc; or None and a code, empty when it is there.

    The crisis level is the runtime's word, never the model's.
    """
    if Changeset.objects.filter(owner=session.owner_id, run_key=arc_key(session)).exists():
        return None, ""
    if not may_learn(session):
        return None, "not_learning"
    turns = user_turns(session)
    unwanted = unwanted_refs(session, turns)
    if not is_substantive([turn for turn in turns if turn.ref not in unwanted]):
        return None, "not_substantive"
    try:
        found = _ask(session, unwanted)
    except ProviderFault as error:
        log.warning("session %s ends without an arc: %s", session.pk, error.code)
        return None, error.code
    if found.arc is None:
        return None, "no_arc"
    return _change(session, turns, found.arc, found.reason, crisis_level_max), ""


def _ask(session: Session, unwanted: Set[str]) -> ArcSummary:
    """Return what the model makes of the session. Raises ProviderFault."""
    lines, known = _talk(session, unwanted)
    task = prompts.arc(lines, known)
    return chat_model().complete(task, seconds=settings.SUMMARY_SECONDS).value


def _change(
    session: Session, turns: Sequence[UserTurn], arc: SessionArc, reason: str, crisis_level_max: int
) -> ItemChange:
    times = [turn.at for turn in turns]
    unwanted = unwanted_refs(session, turns)
    told = [turn for turn in turns if turn.ref not in unwanted and not is_small_talk(turn.text)]
    refs = [turn.ref for turn in told][:MOST_SOURCES]
    fields = {
        "session": session.pk,
        "started_at": min(times),
        "ended_at": max(times),
        "turn_count": len(turns),
        "summary": arc.summary,
        "themes": arc.primary_themes,
        "mood_opened": arc.mood_opened,
        "mood_closed": arc.mood_closed,
        "open_loops": arc.open_loops,
        "resolved_threads": arc.resolved_threads,
        "crisis_level_max": crisis_level_max,
        "source_class": SourceClass.AGENT_INFERENCE,
        "source_session": session.pk,
        "source_events": refs,
        "write_timing": Timing.SESSION_END,
        "write_reason": reason[:REASON_CHARACTERS],
        "policy_version": POLICY_VERSION,
    }
    return ItemChange(
        kind=ChangeItem.Kind.ARC,
        act=ChangeItem.Act.ADD,
        target=None,
        fields=fields,
        evidence=Evidence(quote="", source_event=refs[0], confidence=""),
        code=VerdictCode.LLM_POLICY,
        reason=reason[:REASON_CHARACTERS],
        policy_version=POLICY_VERSION,
    )


def own_arc(session: Session) -> str:
    """Return the words of the session's arc; empty when it has none."""
    return next(map(_text, _arcs(session).filter(session=session.pk)), "")


def earlier_arcs(session: Session) -> list[str]:
    """Return the words of the newest arcs of the owner's other sessions."""
    others = _arcs(session).exclude(session=session.pk).order_by("-ended_at")
    return [_text(arc) for arc in others[:MOST_EARLIER]]


def _arcs(session: Session) -> LearnedQuerySet[Arc]:
    owner = session.owner
    return Arc.objects.within(scope_of(owner.agent, owner=owner.pk)).active()


def _text(arc: Arc) -> str:
    return "\n".join((arc.summary, *arc.themes, *arc.open_loops, *arc.resolved_threads))


def _talk(session: Session, unwanted: Set[str]) -> tuple[list[Line], str]:
    """Return what a model is shown of a talk: its end, and the summary if that is not all.

    Without unwanted messages and the answers to them. The summary may tell of them: it is left out
    then.
    """
    mine = Event.objects.audible().filter(session=session, lane=Lane.EDGE)
    spoken = mine.filter(type__in=SPOKEN)
    events = list(spoken.filter(payload__isnull=False).order_by("seq"))
    *earlier, last = pieces(_wanted(lines_of(events, session.owner.agent), unwanted))
    return last, redacted(session.summary) if earlier and not unwanted else ""


def _wanted(lines: Iterable[Line], unwanted: Set[str]) -> list[Line]:
    """Return the lines without unwanted messages and what was answered to them."""
    found, is_wanted = list[Line](), True
    for line in lines:
        if line.role == "user":
            is_wanted = line.ref not in unwanted
        if is_wanted:
            found.append(line)
    return found
