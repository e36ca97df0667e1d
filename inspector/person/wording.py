"""What is remembered, in words for someone who never heard of Recollect (pure but for the rows)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from knowledge.changes.corrections import CORRECTED
from knowledge.models import Arc, Fact, Rule
from knowledge.models.learned import EntityType, Learned

SURE = {"high": "quite sure", "medium": "fairly sure", "low": "not sure"}
SOURCE = {
    "operator": "entered by an operator",
    "user_direct": "from your own words",
    "agent_inference": "concluded by the agent",
    "tool_output": "from what a tool returned",
    "other_agent": "from another agent",
    "imported": "imported",
}
BY_HAND = "corrected by hand"
DOES = {
    "KNOWS": "Knows",
    "WORRIES_ABOUT": "Worries about",
    "EXPERIENCED": "Experienced",
    "USES": "Uses",
    "WANTS": "Wants",
    "PARTICIPATED_IN": "Took part in",
    "MENTIONED_IN": "Mentioned in",
    "DESCRIBED_AS": "",
}
# An object that brings a verb of its own needs no other.
WHOLE = re.compile(
    r"(lost|is|was|lives|has|likes|dislikes|loves|studied|works:?|habit:|favourite|allergic)\s"
)
CATEGORY = {
    "loss": "Loss",
    "preference": "Preference",
    "coping_strategy": "What helps",
    "relationship": "People and animals",
    "trigger": "What upsets",
    "goal": "Goal",
    "context": "Life",
    "identity": "Who you are",
    "home": "Home",
    "work": "Work and studies",
    "health": "Health",
    "diet": "Food",
    "possession": "Possessions",
    "skill": "Skills and results",
    "routine": "Routines",
    "plan": "Plans",
    "event": "What happened",
    "project": "Projects",
    "decision": "Decisions",
    "note": "Things to remember",
    "arc": "Conversations",
    "rule": "Ways of answering",
}
ORIGIN = {
    "turn": "Learned while you talked",
    "session_end": "Learned when a conversation ended",
    "synthesis": "Learned from several observations",
    "retention": "Removed because it was kept long enough",
    "person": "Changed by you",
    "operator": "Changed by an operator",
    "agent": "Changed by the agent",
    "revert": "Taken back",
    "import": "Brought in from a file",
}
ACT = {
    "add": "remembered",
    "bump": "said again",
    "retire": "no longer counted",
    "edit": "corrected",
    "delete": "forgotten",
    "restore": "put back",
}


@dataclass(frozen=True, slots=True)
class Correction:
    """Who gave an item its words, and the words and quotes that it had before them."""

    at: datetime
    actor: str
    is_own: bool
    was: str
    quotes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Card:
    """One item as a page shows it. `replaced` are the words of what it took the place of."""

    layer: str
    id: UUID
    version: int
    kind: str
    category: str
    text: str
    notes: Sequence[str]
    quotes: Sequence[str]
    sure: str
    source: str
    learned_at: datetime
    used_at: datetime
    is_pinned: bool
    state: str
    replaced: Sequence[str] = ()
    corrected: Correction | None = None


def card(item: Learned, replaced: Sequence[str] = (), corrected: Correction | None = None) -> Card:
    """Return an item in plain words."""
    layer, category, notes, quotes, sure = _parts(item)
    is_by_hand = item.write_reason == CORRECTED
    return Card(
        layer,
        item.pk,
        item.version,
        CATEGORY.get(category, category),
        category,
        words_of(item),
        notes,
        # Their own words are what it says: there is nothing besides to quote.
        [] if is_by_hand else quotes,
        sure,
        BY_HAND if is_by_hand else _source(item),
        item.created_at,
        item.last_referenced_at,
        item.is_pinned,
        state_of(item),
        replaced,
        corrected,
    )


def _source(item: Learned) -> str:
    return "summed up by the agent" if isinstance(item, Arc) else SOURCE[item.source_class]


def words_of(item: Learned) -> str:
    """Return what an item says in one sentence."""
    if isinstance(item, Fact):
        words = _sentence(item.subject_type, item.subject, item.predicate, item.object)
        return item.statement or words
    return item.summary if isinstance(item, Arc) else _rule_text(item)


def state_of(item: Learned) -> str:
    """Return whether an item counts: `remembered`, `held back`, or `no longer`."""
    if item.is_quarantined:
        return "held back"
    return "remembered" if item.is_active else "no longer"


def said(after: Mapping[str, object] | None) -> str:
    """Return what a change would write, as far as it says anything."""
    fields = after or {}
    if fields.get("statement"):
        return str(fields["statement"])
    if "object" in fields:
        names = ("subject_type", "subject", "predicate", "object")
        return _sentence(*(str(fields.get(name) or "") for name in names))
    words = ("text", "summary", "value", "content", "name")
    return listed(next((fields[name] for name in words if fields.get(name)), None))


def listed(value: object) -> str:
    """Return a value of the profile as one line."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {listed(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(listed(one) for one in value)
    return "" if value is None else str(value)


def _sentence(subject_type: str, subject: str, predicate: str, object_: str) -> str:
    """Return a fact in words; the person themselves is not named in what is said of them."""
    does = "" if WHOLE.match(object_) else DOES.get(predicate, predicate)
    if not subject or subject_type in {"", EntityType.USER}:
        words = f"{does} {object_}".strip()
        return f"{words[:1].upper()}{words[1:]}" if not does else words
    return " ".join(part for part in (subject, f"{does[:1].lower()}{does[1:]}", object_) if part)


def _parts(item: Learned) -> tuple[str, str, list[str], list[str], str]:
    if isinstance(item, Fact):
        sure = SURE.get(item.confidence, "")
        return "facts", item.category, [], [item.evidence_quote], sure
    if isinstance(item, Arc):
        loops = [f"Left open: {loop}" for loop in item.open_loops]
        themes = [", ".join(item.themes)] if item.themes else []
        return "sessions", "arc", [*themes, *loops], [], ""
    assert isinstance(item, Rule)  # noqa: S101 - there are three kinds
    return "rules", "rule", [], list(item.evidence), SURE.get(item.confidence, "")


def _rule_text(item: Learned) -> str:
    assert isinstance(item, Rule)  # noqa: S101 - there are three kinds
    return item.text
