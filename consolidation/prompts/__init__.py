"""What the chat model is asked, and under which version: one text file for each; the wording is ours.

A change of a text is a new version, under a new name. docs/learning.md tells how to write another.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from consolidation.verdict import FactCandidate, RuleCandidate
from extraction.contracts.learning import (
    ArcSummary,
    ProceduralExtraction,
    ProceduralReconciliation,
    SemanticExtraction,
    SemanticReconciliation,
)
from extraction.contracts.profile import ProfileTidying, ProfileUpdate
from extraction.contracts.turn import TurnReply
from providers.answers import Delta, Facts, SessionSummary, Summary
from providers.chat import Line, Purpose, Task


@cache
def text_of(version: str) -> str:
    """Return the instructions of a version, as they stand in its file."""
    return (Path(__file__).parent / f"{version}.txt").read_text(encoding="utf-8").rstrip("\n")


def turn(
    lines: Sequence[Line],
    version: str,
    kinds: Mapping[str, str],
    beside: Mapping[str, Sequence[Mapping[str, object]]],
) -> Task[TurnReply]:
    """Ask what new lines change in memory, all at once; `beside` is what is known, and the time.

    The instructions are the same for every turn of a policy: providers keep them at hand.
    """
    listed = "\n".join(f"- {kind}: {meaning}" for kind, meaning in kinds.items())
    instructions = text_of(version).replace("{kinds}", listed)
    return Task(
        Purpose.TURN, version, instructions, lines, TurnReply, most_tokens=4_000, beside=beside
    )


def facts(lines: Sequence[Line]) -> Task[Facts]:
    return Task(Purpose.FACTS, "facts-1", text_of("facts-1"), lines, Facts, most_tokens=2_000)


def memory_delta(lines: Sequence[Line], known: str, complaint: str = "") -> Task[Delta]:
    """Ask for a change of the reference summary `known`; `complaint` says why the last did not fit."""
    again = f" Your last delta was rejected: {complaint}." if complaint else ""
    instructions = text_of("delta-2") + again
    return Task(Purpose.MEMORY_DELTA, "delta-2", instructions, lines, Delta, known, 2_000)


def summary(lines: Sequence[Line], known: str) -> Task[Summary]:
    """Ask for a summary that replaces `known`, the one so far."""
    return Task(Purpose.SUMMARY, "summary-1", text_of("summary-1"), lines, Summary, known)


def session_summary(lines: Sequence[Line], known: str) -> Task[SessionSummary]:
    return Task(
        Purpose.SESSION_SUMMARY, "session-2", text_of("session-2"), lines, SessionSummary, known
    )


def semantic_extraction(lines: Sequence[Line]) -> Task[SemanticExtraction]:
    """Ask for facts in the last line; those before it are its context."""
    purpose = Purpose.SEMANTIC_EXTRACTION
    return Task(purpose, "semantic-1", text_of("semantic-1"), lines, SemanticExtraction)


def procedural_extraction(lines: Sequence[Line]) -> Task[ProceduralExtraction]:
    """Ask for rules in the last line; those before it are its context."""
    purpose = Purpose.PROCEDURAL_EXTRACTION
    return Task(purpose, "procedural-1", text_of("procedural-1"), lines, ProceduralExtraction)


def semantic_reconciliation(
    candidate: FactCandidate, records: Sequence[str]
) -> Task[SemanticReconciliation]:
    """Ask what a new fact does to `records`, each the rendered line of a kept fact."""
    line = Line("new", "user", f"{candidate.predicate} {candidate.object}: '{candidate.quote}'")
    purpose, answer = Purpose.SEMANTIC_RECONCILIATION, SemanticReconciliation
    known = json.dumps(list(records), ensure_ascii=False)
    return Task(
        purpose, "semantic-match-1", text_of("semantic-match-1"), [line], answer, known, 400
    )


def procedural_reconciliation(
    candidate: RuleCandidate, rules: Sequence[str]
) -> Task[ProceduralReconciliation]:
    """Ask what a new rule does to `rules`, the texts of the kept ones."""
    line = Line("new", "user", candidate.text)
    purpose, answer = Purpose.PROCEDURAL_RECONCILIATION, ProceduralReconciliation
    known = json.dumps(list(rules), ensure_ascii=False)
    return Task(purpose, "rule-match-1", text_of("rule-match-1"), [line], answer, known, 400)


def arc(lines: Sequence[Line], known: str) -> Task[ArcSummary]:
    """Ask for a session's arc; `known` is the summary of what came before the lines."""
    return Task(Purpose.ARC, "arc-2", text_of("arc-2"), lines, ArcSummary, known, 1_000)


PROFILE_VERSION, TIDYING_VERSION = "profile-2", "tidying-1"


def profile(lines: Sequence[Line], known: str, words: int) -> Task[ProfileUpdate]:
    """Ask for the picture of a user after new observations; `known` is the one so far, as JSON."""
    instructions = text_of(PROFILE_VERSION).format(words=words)
    return Task(Purpose.PROFILE, PROFILE_VERSION, instructions, lines, ProfileUpdate, known, 6_000)


def profile_tidying(known: str) -> Task[ProfileTidying]:
    """Ask how the keys of a profile should be called; `known` is the profile, as JSON."""
    instructions = text_of(TIDYING_VERSION)
    return Task(
        Purpose.PROFILE_TIDYING, TIDYING_VERSION, instructions, [], ProfileTidying, known, 2_000
    )
