"""A model's reply as candidates with their verdicts, and what it says the user wants of memory.

Everything in it is hostile: each change is held against the messages and what was shown.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date

from consolidation.learning.gate.cues import (
    is_memory_control,
    is_negative_self_belief,
    is_safety_conflict,
)
from consolidation.learning.gate.evidence import own_words, stands_in
from consolidation.learning.gate.risk import is_risky
from consolidation.learning.policies import Policy
from consolidation.learning.turn import UserMessage
from consolidation.learning.whole.dates import DateUnfit, is_relative, read_span
from consolidation.verdict import (
    REASON_CHARACTERS,
    Action,
    FactCandidate,
    FactOrRule,
    RuleCandidate,
    Verdict,
    VerdictCode,
)
from extraction.contracts.learning import Sure
from extraction.contracts.turn import MemoryChange, Op, ThingKind, TurnReply, Unfit
from memory.redaction import is_secret, redacted
from ranking.passages import sentences

RULE_CHARACTERS = 280
OBJECT_CHARACTERS = 200
PREDICATE, OBJECT_TYPE = "DESCRIBED_AS", "Statement"
USER_DIRECT, IMPORTED = "user_direct", "imported"
FACT, RULE, ENTITY = "f", "r", "e"
NEEDS_TARGETS = frozenset({Op.CONFIRM, Op.REVISE, Op.END, Op.WITHDRAW})
NEEDS_WORDS = frozenset({Op.ADD, Op.REVISE})
KEEP = Action.COMMIT_NOW
Judged = list[tuple[FactOrRule, Verdict]]


@dataclass(frozen=True, slots=True)
class Read:
    """What a reply comes to. `unfit` names the fields of each change that could not even be read."""

    facts: Judged
    rules: Judged
    unfit: Sequence[str]


def read(
    reply: TurnReply,
    messages: Sequence[UserMessage],
    ids: Mapping[str, str],
    policy: Policy,
    unwanted: Set[str] = frozenset(),
) -> Read:
    """Return the candidates of a reply, each with its verdict.

    `ids` are those behind the handles that the model was shown; `unwanted` are references of
    messages that are to be kept off the record.
    """
    facts, rules, unfit = Judged(), Judged(), list[str]()
    for change in reply.changes:
        if isinstance(change, Unfit):
            unfit.append(change.fields)
            continue
        message = _message_of(change, messages)
        item = (_rule if change.lane == "rule" else _fact)(change, message, ids)
        verdict = _verdict(item, change, message, policy)
        if message.ref in unwanted and not _is_apart(change, message):
            verdict = Verdict(Action.DROP, VerdictCode.MEMORY_CONTROL, "", policy.version)
        (rules if change.lane == "rule" else facts).append((item, verdict))
    return Read(facts, rules, unfit)


def _is_apart(change: MemoryChange, message: UserMessage) -> bool:
    """Return whether a change stands on another sentence than the wish to keep something out.

    The model that named the line has made the change all the same: the wish is about the rest.
    """
    said = sentences(message.text)
    own = [one for one in said if stands_in(change.quote, one)]
    return len(said) > 1 and bool(own) and not any(map(is_memory_control, own))


def _verdict(
    item: FactOrRule, change: MemoryChange, message: UserMessage, policy: Policy
) -> Verdict:
    if isinstance(item, RuleCandidate):
        return _verdict_on_rule(item, change, message, policy)
    return _verdict_on_fact(item, change, message, policy)


def _message_of(change: MemoryChange, messages: Sequence[UserMessage]) -> UserMessage:
    """Return the newest message that holds the quote in its own words, or at all; else the last."""
    own = (one for one in reversed(messages) if stands_in(change.quote, own_words(one.text)))
    there = (one for one in reversed(messages) if stands_in(change.quote, one.text))
    return next(own, None) or next(there, None) or messages[-1]


def _fact(change: MemoryChange, message: UserMessage, ids: Mapping[str, str]) -> FactCandidate:
    is_users = change.about.kind is ThingKind.USER
    statement = redacted(change.statement)
    return FactCandidate(
        category=change.kind,
        subject_type="User" if is_users else change.about.kind.value.capitalize(),
        subject="user" if is_users else redacted(change.about.name or change.about.relation),
        predicate=PREDICATE,
        object_type=OBJECT_TYPE,
        object=statement[:OBJECT_CHARACTERS],
        quote=redacted(change.quote),
        confidence=change.sure.value,
        source_event=message.ref,
        turn=message.seq,
        source_class=_source_class(change, message),
        op=change.op.value,
        targets=_targets(change, ids, FACT),
        statement=statement,
        happened=change.happened or "",
        holds_until=_until(change, message),
        durability=change.durability,
        basis=change.basis,
        sensitivity=change.sensitivity,
        entity=ids.get(change.about.id, "") if change.about.id.startswith(ENTITY) else "",
        entity_kind="" if is_users else change.about.kind.value.capitalize(),
        relation="" if is_users else redacted(change.about.relation),
    )


def _rule(change: MemoryChange, message: UserMessage, ids: Mapping[str, str]) -> RuleCandidate:
    return RuleCandidate(
        text=redacted(change.statement)[:RULE_CHARACTERS],
        confidence=change.sure.value,
        source_event=message.ref,
        turn=message.seq,
        evidence=(redacted(change.quote),),
        source_class=_source_class(change, message),
        op=change.op.value,
        targets=_targets(change, ids, RULE),
        waits=is_risky(f"{change.statement}\n{change.quote}"),
    )


def _source_class(change: MemoryChange, message: UserMessage) -> str:
    if stands_in(change.quote, own_words(message.text)):
        return USER_DIRECT
    return IMPORTED if stands_in(change.quote, message.text) else USER_DIRECT


def _targets(change: MemoryChange, ids: Mapping[str, str], lane: str) -> tuple[str, ...]:
    """Return the ids behind the handles of a lane's items that were shown, each once."""
    shown = [ids[one] for one in change.targets if one.startswith(lane) and one in ids]
    return tuple(dict.fromkeys(shown))


def _until(change: MemoryChange, message: UserMessage) -> str:
    """Return the last day on which it holds, as a date; empty for always, and for what is no date."""
    if not change.holds_until:
        return message.at.date().isoformat() if change.op is Op.END else ""
    try:
        return read_span(change.holds_until, said_on=message.at.date()).last.isoformat()
    except DateUnfit:
        return ""


def _verdict_on_fact(
    fact: FactCandidate, change: MemoryChange, message: UserMessage, policy: Policy
) -> Verdict:
    code = _objection(fact, change, message) or _objection_to_fact(fact, change, message, policy)
    action, code = (Action.DROP, code) if code else _by_table(fact, change, policy)
    return Verdict(action, code, change.reason[:REASON_CHARACTERS], policy.version)


def _by_table(
    fact: FactCandidate, change: MemoryChange, policy: Policy
) -> tuple[Action, VerdictCode]:
    is_implied = change.basis == "implied" or change.sure is Sure.LOW
    if change.op not in NEEDS_WORDS:
        # Nothing that was said before ends by a guess.
        return (
            (Action.DROP, VerdictCode.NOT_AT_ONCE) if is_implied else (KEEP, VerdictCode.LLM_POLICY)
        )
    assert policy.commits is not None, "a policy that is asked as a whole has a table"  # noqa: S101
    action = policy.commits[change.basis, change.durability]
    if action is Action.DROP and not fact.holds_until:
        return action, VerdictCode.PASSING
    if is_negative_self_belief(fact.quote):
        return Action.REPETITION, VerdictCode.NEGATIVE_SELF_BELIEF
    if is_implied:
        return Action.SESSION_END, VerdictCode.NOT_AT_ONCE
    return KEEP, VerdictCode.LLM_POLICY


def _verdict_on_rule(
    rule: RuleCandidate, change: MemoryChange, message: UserMessage, policy: Policy
) -> Verdict:
    code = _objection(rule, change, message)
    is_unsafe = change.sensitivity == "unsafe" or is_safety_conflict(f"{rule.text} {change.quote}")
    if code is None and is_unsafe:
        code = VerdictCode.SAFETY_CONFLICT
    if code is None and change.durability == "passing" and change.op in NEEDS_WORDS:
        code = VerdictCode.TURN_SCOPED
    action, code = (Action.DROP, code) if code else _allowed(rule, change)
    return Verdict(action, code, change.reason[:REASON_CHARACTERS], policy.version)


def _allowed(rule: RuleCandidate, change: MemoryChange) -> tuple[Action, VerdictCode]:
    if change.basis == "implied" or change.sure is Sure.LOW:
        is_new = change.op in NEEDS_WORDS
        return (Action.SESSION_END if is_new else Action.DROP), VerdictCode.NOT_AT_ONCE
    return KEEP, VerdictCode.RISKY_RULE if rule.waits else VerdictCode.LLM_POLICY


def _objection(item: FactOrRule, change: MemoryChange, message: UserMessage) -> VerdictCode | None:
    """Return why nothing of a change can be taken, in either lane."""
    if is_secret(change.statement) or is_secret(change.quote) or is_secret(item_words(item)):
        return VerdictCode.SECRET
    if item.source_class != USER_DIRECT:
        return VerdictCode.UNTRUSTED_SOURCE
    if not stands_in(change.quote, own_words(message.text)):
        return VerdictCode.NOT_QUOTED
    if change.op in NEEDS_TARGETS and not item.targets:
        return VerdictCode.UNKNOWN_TARGET
    if change.op in NEEDS_WORDS and not change.statement:
        return VerdictCode.NOT_ALONE
    return None


def item_words(item: FactOrRule) -> str:
    """Return what a candidate would store as text."""
    if isinstance(item, RuleCandidate):
        return "\n".join((item.text, *item.evidence))
    return "\n".join((item.statement, item.subject, item.relation, item.quote))


def _objection_to_fact(
    fact: FactCandidate, change: MemoryChange, message: UserMessage, policy: Policy
) -> VerdictCode | None:
    if change.op not in NEEDS_WORDS and not change.statement:
        return None
    if change.kind not in policy.kinds:
        return VerdictCode.UNKNOWN_KIND
    if change.question and not stands_in(change.question, message.answers):
        return VerdictCode.NOT_QUOTED
    if fact.entity_kind and not (fact.subject or fact.entity):
        return VerdictCode.NOT_ALONE
    if is_relative(fact.statement):
        return VerdictCode.NOT_ALONE
    return _objection_to_dates(change, message.at.date())


def _objection_to_dates(change: MemoryChange, said_on: date) -> VerdictCode | None:
    try:
        spans = [
            read_span(text, said_on=said_on)
            for text in (change.happened, change.holds_until)
            if text
        ]
    except DateUnfit:
        return VerdictCode.BAD_DATE
    is_backwards = bool(change.happened and change.holds_until) and spans[1].last < spans[0].first
    return VerdictCode.BAD_DATE if is_backwards else None
