"""The sentences of a narrative: since when each is said, and when an observation last bore it out."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from consolidation.profile.leaves.sides import Refs, named
from extraction.contracts.profile import NarrativeSentence
from knowledge.models.profile import Channel
from ranking.similarity import jaccard
from ranking.tokens import meaningful

Statement = dict[str, str]
# Of two wordings this much must be alike where the model does not say which old one it goes on from.
ALIKE = 0.3


def statement_of(
    text: str, told: NarrativeSentence, old: Mapping[str, Statement], events: Refs, now: datetime
) -> Statement:
    """Return a sentence with its dates. `old` are the sentences that were shown, by their ids.

    It is borne out when the observations and the old sentences it stands on were; naming none, it
    goes on from the old one it is most alike. Only what is like none is as new as the newest
    observation.
    """
    before = [old[ref] for ref in told.refs if ref in old]
    seen = [event.observed_at for event in named(told.refs, events)]
    if not before and not seen:
        before = _nearest(text, old)
    if not before and not seen:
        seen = [max((event.observed_at for event in events.values()), default=now)]
    since = [*(_moment(one["since"]) for one in before), *seen]
    last = [*(_moment(one["confirmed_at"]) for one in before), *seen]
    found = {"text": text, "since": min(since).isoformat(), "confirmed_at": max(last).isoformat()}
    is_theirs = any(is_by_person(one) and one["text"] == text for one in before)
    return found | ({"by": Channel.PERSON.value} if is_theirs else {})


def lasting(statements: Sequence[Statement], days: int | None, now: datetime) -> list[Statement]:
    """Return the statements that were borne out within so many days; all without a number."""
    if days is None:
        return list(statements)
    oldest = now - timedelta(days=days)
    return [one for one in statements if _moment(one["confirmed_at"]) >= oldest]


def is_by_person(statement: Mapping[str, str]) -> bool:
    """Return whether the person wrote a sentence by hand."""
    return statement.get("by") == Channel.PERSON


def said_since(statement: Statement) -> datetime:
    return _moment(statement["since"])


def _nearest(text: str, old: Mapping[str, Statement]) -> list[Statement]:
    words = meaningful(text)
    best = max(old.values(), key=lambda one: jaccard(words, meaningful(one["text"])), default=None)
    is_alike = best and jaccard(words, meaningful(best["text"])) >= ALIKE
    return [best] if best and is_alike else []


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
