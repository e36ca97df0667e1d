"""The sentences of a narrative: since when each is said, and when it was last borne out (pure)."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from consolidation.profile.leaves.sides import Observed, says
from ranking.passages import sentences
from ranking.similarity import jaccard
from ranking.tokens import meaningful, tokens

SAME = 0.6
Statement = dict[str, str]


def statements_of(
    text: str, known: Sequence[Mapping[str, object]], events: Sequence[Observed], now: datetime
) -> list[Statement]:
    """Return one statement for each sentence of a text, in its order.

    A sentence that says what a known one says goes on from it. An observation that says it bears
    it out; what is new is borne out now.
    """
    return [_statement(one, known, events, now) for one in sentences(text)]


def lasting(statements: Sequence[Statement], days: int | None, now: datetime) -> list[Statement]:
    """Return the statements that were borne out within so many days; all without a number."""
    if days is None:
        return list(statements)
    oldest = now - timedelta(days=days)
    return [one for one in statements if _moment(one["confirmed_at"]) >= oldest]


def _statement(
    text: str, known: Sequence[Mapping[str, object]], events: Sequence[Observed], now: datetime
) -> Statement:
    borne_out = [one.observed_at for one in events if says(one.text, text)]
    before = next((one for one in known if _is_same(text, str(one.get("text", "")))), None)
    since = str(before["since"]) if before else min(borne_out, default=now).isoformat()
    last = str(before["confirmed_at"]) if before else now.isoformat()
    confirmed = max([_moment(last), *borne_out]) if before else max(borne_out, default=now)
    return {"text": text, "since": since, "confirmed_at": confirmed.isoformat()}


def _is_same(first: str, second: str) -> bool:
    return tokens(first) == tokens(second) or jaccard(meaningful(first), meaningful(second)) >= SAME


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
