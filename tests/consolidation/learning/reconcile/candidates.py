"""Candidates of alice's, the commit of them, and what a model says of them."""

import json

from consolidation.jobs import queue
from consolidation.learning.reconcile.job import commit_candidates
from consolidation.verdict import Action, FactCandidate, RuleCandidate, Verdict, VerdictCode
from knowledge.models import Fact

VERDICT = Verdict(Action.COMMIT_NOW, VerdictCode.LLM_POLICY, "plainly said")


def fact(object="Lyon", quote="I live in Lyon.", **fields) -> FactCandidate:
    return FactCandidate(
        **{
            "category": "context",
            "subject_type": "User",
            "subject": "user",
            "predicate": "EXPERIENCED",
            "object_type": "Event",
            "object": object,
            "quote": quote,
            "confidence": "high",
            "source_event": "ev-1",
            "turn": 1,
            **fields,
        }
    )


def rule(text="You answer briefly.", *quotes: str, **fields) -> RuleCandidate:
    return RuleCandidate(text, "high", "ev-1", 1, quotes or (f"Please: {text}",), **fields)


def claimed(key="turn-1"):
    return queue.claim(queue.enqueue(kind="heartbeat", key=key))


def commit(session, *candidates, key="turn-1", origin="turn", verdict=VERDICT, **more):
    job = more.pop("job", None) or claimed(key)
    return commit_candidates(
        job=job,
        owner=session.owner,
        session=session,
        facts=[(one, verdict) for one in candidates if isinstance(one, FactCandidate)],
        rules=[(one, verdict) for one in candidates if isinstance(one, RuleCandidate)],
        origin=origin,
        run_key=key,
        **more,
    )


def says(action, *indexes, confidence="high", name="record_indexes") -> str:
    answer = {"action": action, name: list(indexes), "reason": "so it is", "confidence": confidence}
    return json.dumps(answer)


def active() -> list[str]:
    return sorted(Fact.objects.active().values_list("object", flat=True))
