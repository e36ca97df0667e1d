"""Turns that teach something, and the answers of a model that sees it."""

import json

from consolidation.intake.accept import accept_events
from consolidation.models import Candidate, Job, LearningRun
from tests.factories import run_jobs, said

NO_FACTS = json.dumps({"facts": [], "reason": "Nothing."})
NO_RULES = json.dumps({"rules": [], "reason": "Nothing."})
SISTER = "My sister is called Ana."
BRIEF = "From now on answer briefly."


def facts(*quotes: str, **fields: str) -> str:
    found = [
        {
            "category": fields.get("category", "relationship"),
            "subject": {"type": "User", "identifier": "user"},
            "predicate": fields.get("predicate", "KNOWS"),
            "object": {"type": "Person", "identifier": fields.get("object", "sister Ana")},
            "evidence_quote": quote,
            "confidence": "high",
        }
        for quote in quotes
    ]
    return json.dumps({"facts": found, "reason": "Said plainly."})


def rules(*quotes: str, text: str = "Answer briefly.") -> str:
    found = [{"rule": text, "evidence": [quote], "confidence": "high"} for quote in quotes]
    return json.dumps({"rules": found, "reason": "Asked for."})


def fact_ruling(action: str = "commit_at_session_end", confidence: str = "high") -> str:
    return json.dumps({"action": action, "reason": "Plain.", "confidence": confidence})


def rule_ruling(action: str = "commit_at_session_end") -> str:
    said_so = {"action": action, "reason": "Plain.", "confidence": "high"}
    return json.dumps(said_so | {"safety_conflict": False})


def turn(session, text: str = SISTER, answer: str = "I see.") -> None:
    drafts = [said(text), said(answer, "assistant")]
    accept_events(agent=session.owner.agent, session=session, drafts=drafts)


def again() -> None:
    """Let what waits be due now, and do it."""
    Job.objects.filter(state="due").update(not_before="2020-01-01T00:00Z", dispatched_at=None)
    run_jobs(1)


def states(session) -> list[tuple[str, str, str]]:
    found = Candidate.objects.filter(session=session).order_by("turn", "-lane", "place")
    return list(found.values_list("lane", "state", "code"))


def runs(session) -> list[tuple[int, str, str, str]]:
    found = LearningRun.objects.filter(session=session).order_by("turn", "-lane")
    return list(found.values_list("turn", "lane", "state", "error_code"))
