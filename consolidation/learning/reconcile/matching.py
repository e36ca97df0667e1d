"""What a new fact or rule does to those that are kept (pure)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from uuid import UUID

from consolidation.verdict import FactCandidate, RuleCandidate
from extraction.contracts.learning import (
    FactMatch,
    ProceduralReconciliation,
    RuleMatch,
    SemanticReconciliation,
    Sure,
)
from ranking.similarity import jaccard
from ranking.tokens import fold, tokens

# Of the quotes of one triple: as much in common makes them one fact.
NEAR = 0.85
USER = "User"
CONFIRM, END = "confirm", "end"
# Why an item counts no more though nothing takes its place.
FATES = {END: "ended", "withdraw": "withdrawn"}
IDENTIFIER_CHARACTERS = 200


class MatchInvalid(Exception):
    """The model named a record that it was not shown, or not as many as its decision needs."""


class Act(Enum):
    """What is done about a candidate."""

    ADD = "add"
    BUMP = "bump"
    SUPERSEDE = "supersede"
    SKIP = "skip"
    RETIRE = "retire"


@dataclass(frozen=True, slots=True)
class Decision:
    """`targets` are the kept items that are bumped, replaced or retired; `reason` is the model's.

    `fate` says why items are retired in whose place nothing comes.
    """

    act: Act
    targets: tuple[UUID, ...] = ()
    reason: str = ""
    fate: str = ""


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact that is kept and counts, as far as others are compared with it.

    `said_at` is None where nobody knows.
    """

    id: UUID
    category: str
    subject: str
    predicate: str
    object_type: str
    object: str
    quote: str
    said_at: datetime | None = None

    @property
    def text(self) -> str:
        return self.object

    @property
    def line(self) -> str:
        return f"[{self.category}] {self.subject} {self.predicate} {self.object}: '{self.quote}'"


@dataclass(frozen=True, slots=True)
class KnownRule:
    id: UUID
    text: str


def normalised(candidate: FactCandidate, owner: str) -> FactCandidate:
    """Return the candidate with the owner's id for its subject, if that is the user."""
    if candidate.subject_type != USER:
        return candidate
    return replace(candidate, subject=owner[:IDENTIFIER_CHARACTERS])


def colliding(candidate: FactCandidate, known: Iterable[KnownFact]) -> list[KnownFact]:
    """Return the facts of one category, subject, predicate and type of object, in their order."""
    return [fact for fact in known if _place(fact) == _place(candidate)]


def known_fact(candidate: FactCandidate, known: Sequence[KnownFact]) -> Decision | None:
    """Decide without a model: bump the fact that says the same, add where nothing collides.

    None when only a model can tell. `known` are those that collide.
    """
    for fact in known:
        if folded(fact.object) == folded(candidate.object) and is_near(fact.quote, candidate.quote):
            return Decision(Act.BUMP, (fact.id,))
    return None if known else Decision(Act.ADD)


def known_rule(text: str, known: Sequence[KnownRule]) -> Decision | None:
    """Decide without a model: skip a text that is there, add the first one; None for the rest."""
    if any(folded(rule.text) == folded(text) for rule in known):
        return Decision(Act.SKIP)
    return None if known else Decision(Act.ADD)


def decide_change(
    candidate: FactCandidate | RuleCandidate, known: Sequence[KnownFact | KnownRule]
) -> Decision:
    """Return what a change does that a model has proposed having seen what is kept.

    A target that counts no more is left out. `known` holds the targets and what may say the same.
    """
    targets = tuple(one.id for one in known if str(one.id) in candidate.targets)
    words = text_of(candidate)
    same = tuple(one.id for one in known if words and folded(one.text) == folded(words))
    if candidate.op in FATES and (targets or not words) and not (words and candidate.op == END):
        fate = FATES[candidate.op]
        return Decision(Act.RETIRE, targets, fate=fate) if targets else Decision(Act.SKIP)
    if candidate.op == CONFIRM:
        return Decision(Act.BUMP, targets) if targets else Decision(Act.SKIP)
    if same:
        return Decision(Act.BUMP, same[:1])
    return Decision(Act.SUPERSEDE, targets) if targets else Decision(Act.ADD)


def text_of(candidate: FactCandidate | RuleCandidate) -> str:
    """Return what a candidate says, as kept items say it."""
    return candidate.object if isinstance(candidate, FactCandidate) else candidate.text


def is_near(first: str, second: str) -> bool:
    """Say whether two quotes are the same words, up to case and spaces, or nearly so."""
    if folded(first) == folded(second):
        return True
    return jaccard(tokens(first), tokens(second)) >= NEAR


def folded(text: str) -> str:
    """Return one form of texts that differ in case and white space only."""
    return " ".join(fold(text).split())


def decide_fact(answer: SemanticReconciliation, known: Sequence[KnownFact]) -> Decision:
    """Return what a model decided about a fact. Raises MatchInvalid.

    Whoever is not sure changes nothing that is kept.
    """
    if answer.confidence == Sure.LOW or answer.action == FactMatch.COEXIST:
        return Decision(Act.ADD, reason=answer.reason)
    targets = _picked(answer.record_indexes, [fact.id for fact in known])
    if answer.action == FactMatch.SUPERSEDE:
        return Decision(Act.SUPERSEDE, targets, answer.reason)
    if len(targets) != 1:
        raise MatchInvalid("a bump is of one record")
    return Decision(Act.BUMP, targets, answer.reason)


def in_time(decision: Decision, known: Iterable[KnownFact], said_at: datetime | None) -> Decision:
    """Return the decision, unless what it would replace was said after the new fact was: then skip.

    Sessions are learned from in any order, and old ones are imported.
    """
    if decision.act is not Act.SUPERSEDE or said_at is None:
        return decision
    replaced = [one.said_at for one in known if one.id in decision.targets and one.said_at]
    is_late = any(at > said_at for at in replaced)
    return Decision(Act.SKIP, reason=decision.reason) if is_late else decision


def decide_rule(answer: ProceduralReconciliation, known: Sequence[KnownRule]) -> Decision:
    """Return what a model decided about a rule. Raises MatchInvalid."""
    if answer.confidence == Sure.LOW or answer.action == RuleMatch.APPEND:
        return Decision(Act.ADD, reason=answer.reason)
    if answer.action == RuleMatch.SKIP:
        return Decision(Act.SKIP, reason=answer.reason)
    targets = _picked(answer.replace_indexes, [rule.id for rule in known])
    return Decision(Act.SUPERSEDE, targets, answer.reason)


def _place(fact: FactCandidate | KnownFact) -> tuple[str, str, str, str]:
    return fact.category, folded(fact.subject), fact.predicate, fact.object_type


def _picked(indexes: Sequence[int], ids: Sequence[UUID]) -> tuple[UUID, ...]:
    """Return the ids that the indexes name, each once."""
    if not indexes or any(index >= len(ids) for index in indexes):
        raise MatchInvalid("no such record was shown")
    return tuple(ids[index] for index in dict.fromkeys(indexes))
