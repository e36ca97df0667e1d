"""Find what a lane's next prompt remembers; a model is asked once for all of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.conf import settings

from accounts.billing import charged_to
from knowledge.models import Rule
from knowledge.overview import active_rules
from memory.models import Session
from memory.windows import USER
from recall.prompt.blocks.documents import FoundFacts, find_facts
from recall.prompt.given import Given
from recall.prompt.memory.message import TurnMemories
from recall.prompt.sources.profile import load_profile
from recall.prompt.sources.workspace import load_legion
from recall.prompt.view import LaneView, shown
from recall.search.hits import Hit, SearchResult
from recall.search.messages.search import search
from recall.search.questions.question import Question, SearchMode, prepare
from recall.search.ranking_profiles import PROFILES
from recall.search.turn import TurnMemory, load_turn

HITS = 20


@dataclass(frozen=True, slots=True)
class Recollection:
    """What was found, and how the passages were: their scores are for the receipt."""

    remembered: TurnMemories
    found: SearchResult
    turn: TurnMemory
    degraded: str


def remember(
    session: Session,
    question: str,
    view: LaneView,
    given: Given,
    mode: SearchMode = SearchMode.HYBRID,
) -> Recollection:
    """Return what may stand in the prompt: the passages that the window does not hold, and the rest.

    In the mode TEXT no model is asked.
    """
    owner = session.owner
    profile = load_profile(owner, connections=given.connections)
    with charged_to(owner, session=session.pk):
        asked = _asked(session, question, mode)
    found, facts = SearchResult(), FoundFacts()
    if asked and owner.agent.retrieves:
        found = search(owner=owner, query=question, limit=HITS, question=asked)
        found = replace(found, hits=_unseen(found.hits, view))
        facts = find_facts(owner, question, given.connections, asked)
    is_first = _is_first_turn(view)
    turn = load_turn(owner=owner, query=question, is_first_turn=is_first, question=asked)
    kept = load_legion(
        owner=owner, question=question if asked else "", memory=view.memory, mode=mode
    )
    rules = _rules(session, turn)
    remembered = TurnMemories(profile, rules, kept, turn, facts.lines, found.hits)
    return Recollection(remembered, found, turn, found.degraded or facts.degraded)


def _rules(session: Session, turn: TurnMemory) -> list[Rule]:
    """Return the rules, without a statement where there are none."""
    return active_rules(session.owner) if turn.diagnostics.procedural_count else []


def _asked(session: Session, question: str, mode: SearchMode) -> Question | None:
    if not question.strip():
        return None
    profile = PROFILES[settings.RANKING_PROFILE]
    with charged_to(session.owner, session=session.pk):
        return prepare(session.owner.agent, question, mode, profile)


def _is_first_turn(view: LaneView) -> bool:
    said = [event for event in view.events if shown(event).type == USER]
    return len(said) <= 1 and not view.summary


def _unseen(hits: Sequence[Hit], view: LaneView) -> list[Hit]:
    """Leave out what the window holds anyway."""
    seen = {event.pk for event in view.events}
    return [hit for hit in hits if not seen & set(hit.events)]
