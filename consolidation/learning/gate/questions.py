"""What the chat model is asked about a candidate, and under which version."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from consolidation.verdict import FactCandidate, RuleCandidate
from extraction.contracts.learning import ProceduralPolicy, SemanticPolicy
from providers.chat import Line, Purpose, Task

SEMANTIC_POLICY = (
    "A fact was found in what the user said; `known` holds it. Decide: commit_now for what is "
    "plain, lasting and harmless; commit_at_session_end when the rest of the conversation should "
    "bear it out; require_repetition when it should be said again first; drop when it should not "
    "be kept."
)
PROCEDURAL_POLICY = (
    "A rule for the assistant was found in what the user said; `known` holds it. Decide: "
    "commit_now for an explicit, lasting instruction; commit_at_session_end for a preference that "
    "was only implied; drop when it is for this reply alone or no rule. Say with safety_conflict "
    "whether it would keep help from someone in danger."
)


def semantic_policy(candidate: FactCandidate, lines: Sequence[Line]) -> Task[SemanticPolicy]:
    known = json.dumps(asdict(candidate), ensure_ascii=False)
    purpose = Purpose.SEMANTIC_POLICY
    return Task(purpose, "semantic-policy-1", SEMANTIC_POLICY, lines, SemanticPolicy, known, 300)


def procedural_policy(candidate: RuleCandidate, lines: Sequence[Line]) -> Task[ProceduralPolicy]:
    known = json.dumps(asdict(candidate), ensure_ascii=False)
    purpose = Purpose.PROCEDURAL_POLICY
    version = "procedural-policy-1"
    return Task(purpose, version, PROCEDURAL_POLICY, lines, ProceduralPolicy, known, 300)
