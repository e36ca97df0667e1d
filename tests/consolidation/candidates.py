"""Candidates as an extraction gives them."""

from dataclasses import asdict

from consolidation.models import Candidate
from consolidation.session_end.evidence.clusters import Held
from consolidation.verdict import POLICY_VERSION, Action, FactCandidate, RuleCandidate


def fact(thing: str, quote: str, turn: int = 1, **fields) -> FactCandidate:
    known = {
        "category": "context",
        "subject_type": "User",
        "subject": "user",
        "predicate": "EXPERIENCED",
        "object_type": "Event",
        "object": thing,
        "quote": quote,
        "confidence": "medium",
        "source_event": f"ev-{turn}",
        "turn": turn,
    }
    return FactCandidate(**{**known, **fields})


def rule(text: str, quote: str, turn: int = 1) -> RuleCandidate:
    return RuleCandidate(text, "medium", f"ev-{turn}", turn, (quote,))


def held(*items, is_gated: bool = False) -> list[Held]:
    return [Held(place, item, is_gated) for place, item in enumerate(items, start=1)]


def hold(session, *items, action: Action = Action.SESSION_END, **fields) -> list[Candidate]:
    """Put candidates into a session's buffer, as the gate does."""
    return [
        Candidate.objects.create(
            **{
                "session": session,
                "lane": "semantic" if isinstance(item, FactCandidate) else "procedural",
                "turn": item.turn,
                "place": place,
                "payload": asdict(item),
                "source_event": item.source_event,
                "action": action,
                "code": "llm_policy",
                "policy_version": POLICY_VERSION,
                "state": "held",
                **fields,
            }
        )
        for place, item in enumerate(items)
    ]


def became(rows: list[Candidate]) -> list[tuple[str, str]]:
    """Return the state and the outcome of each."""
    for row in rows:
        row.refresh_from_db()
    return [(row.state, row.outcome) for row in rows]
