"""What the chat model is asked, and under which version; the wording is ours alone."""

import json
from collections.abc import Sequence

from consolidation.verdict import FactCandidate, RuleCandidate
from extraction.contracts.learning import (
    ArcSummary,
    ProceduralExtraction,
    ProceduralReconciliation,
    SemanticExtraction,
    SemanticReconciliation,
)
from extraction.contracts.profile import ProfileUpdate
from providers.answers import Delta, Facts, SessionSummary, Summary
from providers.chat import Line, Purpose, Task

FACTS = (
    "List what is worth remembering from this conversation: preferences, decisions, facts and "
    "context that will matter later. Give each a short key, its value in one sentence, a category "
    "(preference, decision, fact or context) and, as source_event, the ref of the line it comes "
    "from. Leave out small talk, guesses and secrets such as passwords. An empty list is fine."
)
MEMORY_DELTA = (
    "These lines are about to leave the prompt. Change the reference summary so that the "
    "conversation can go on without them: what was discussed, done and decided, and why, what is "
    "pending, and what the user wants. Answer with one memory_delta: mode is append, or overwrite "
    "to replace the summary's text when it should be shorter; summary_update is the text; "
    "add_references and remove_references are lists of refs; add_fact is a list of objects with "
    "key, value and source_event, a ref of a line; remove_fact is a list of objects with key. "
    "The summary so far ends each fact with its source and lists its references: remove what no "
    "longer helps. Be dense; at most 200 words."
)
SUMMARY = (
    "Summarise this conversation so that it can go on from the summary alone: who the user is, "
    "what was discussed, decided and why, active tasks, constraints, results of tools that still "
    "matter, and what is pending. If a summary so far is given, write one that covers both. Leave "
    "out filler and abandoned plans. Dense, self-contained prose; at most 300 words."
)
SESSION_SUMMARY = (
    "This conversation has ended. Summarise it for someone who will look for it later: its topics, "
    "what was decided and done, what the user told about themselves, and what was left open. If a "
    "summary of an earlier part is given, cover both. Dense prose; at most 300 words."
)


def facts(lines: Sequence[Line]) -> Task[Facts]:
    return Task(Purpose.FACTS, "facts-1", FACTS, lines, Facts, most_tokens=2_000)


def memory_delta(lines: Sequence[Line], known: str, complaint: str = "") -> Task[Delta]:
    """Ask for a change of the reference summary `known`; `complaint` says why the last did not fit."""
    again = f" Your last delta was rejected: {complaint}." if complaint else ""
    told = MEMORY_DELTA + again
    return Task(Purpose.MEMORY_DELTA, "delta-2", told, lines, Delta, known, 2_000)


def summary(lines: Sequence[Line], known: str) -> Task[Summary]:
    """Ask for a summary that replaces `known`, the one so far."""
    return Task(Purpose.SUMMARY, "summary-1", SUMMARY, lines, Summary, known)


def session_summary(lines: Sequence[Line], known: str) -> Task[SessionSummary]:
    return Task(Purpose.SESSION_SUMMARY, "session-1", SESSION_SUMMARY, lines, SessionSummary, known)


SEMANTIC_EXTRACTION = (
    "Look at the last line alone, which the user just said; the lines before it are context. List "
    "what it says of the user's life that is stated directly, can be quoted in at most 280 "
    "characters of the user's own words, lasts longer than a passing mood, fits a category, and "
    "that the user would accept being remembered. Leave out feelings of the moment, guesses, what "
    "the user asked not to be remembered, small talk, and anything about a crisis. An empty list "
    "is the usual answer."
)
PROCEDURAL_EXTRACTION = (
    "Look at the last line alone, which the user just said; the lines before it are context. List "
    "the ways of answering that the user asks for or clearly prefers, each as a rule for the "
    "assistant in the second person, under 24 words, with quotes of the user's own words. A fact "
    "of the user's life is no rule. An empty list is the usual answer."
)
SEMANTIC_RECONCILIATION = (
    "The line is a new fact; `known` is a list of facts that are kept, counted from 0. Decide: "
    "bump when it says what one of them says, with that one index; supersede when it corrects or "
    "replaces some, with their indexes; coexist when all stay true."
)
PROCEDURAL_RECONCILIATION = (
    "The line is a new rule; `known` is a list of rules that are kept, counted from 0. Decide: "
    "skip when one of them says it already; replace when it takes the place of some, with their "
    "indexes; append when all stay."
)
ARC = (
    "This conversation has ended. If the user developed a thread over at least three substantive "
    "turns, give its arc: a summary of at most 600 characters, up to three themes, the user's mood "
    "at the start and at the end, open loops and resolved threads. If it was small talk or a test, "
    "or when unsure, arc is null."
)


def semantic_extraction(lines: Sequence[Line]) -> Task[SemanticExtraction]:
    """Ask for facts in the last line; those before it are its context."""
    purpose = Purpose.SEMANTIC_EXTRACTION
    return Task(purpose, "semantic-1", SEMANTIC_EXTRACTION, lines, SemanticExtraction)


def procedural_extraction(lines: Sequence[Line]) -> Task[ProceduralExtraction]:
    """Ask for rules in the last line; those before it are its context."""
    purpose = Purpose.PROCEDURAL_EXTRACTION
    return Task(purpose, "procedural-1", PROCEDURAL_EXTRACTION, lines, ProceduralExtraction)


def semantic_reconciliation(
    candidate: FactCandidate, records: Sequence[str]
) -> Task[SemanticReconciliation]:
    """Ask what a new fact does to `records`, each the rendered line of a kept fact."""
    line = Line("new", "user", f"{candidate.predicate} {candidate.object}: '{candidate.quote}'")
    purpose, answer = Purpose.SEMANTIC_RECONCILIATION, SemanticReconciliation
    known = json.dumps(list(records), ensure_ascii=False)
    return Task(purpose, "semantic-match-1", SEMANTIC_RECONCILIATION, [line], answer, known, 400)


def procedural_reconciliation(
    candidate: RuleCandidate, rules: Sequence[str]
) -> Task[ProceduralReconciliation]:
    """Ask what a new rule does to `rules`, the texts of the kept ones."""
    line = Line("new", "user", candidate.text)
    purpose, answer = Purpose.PROCEDURAL_RECONCILIATION, ProceduralReconciliation
    known = json.dumps(list(rules), ensure_ascii=False)
    return Task(purpose, "rule-match-1", PROCEDURAL_RECONCILIATION, [line], answer, known, 400)


def arc(lines: Sequence[Line], known: str) -> Task[ArcSummary]:
    """Ask for a session's arc; `known` is the summary of what came before the lines."""
    return Task(Purpose.ARC, "arc-1", ARC, lines, ArcSummary, known, 1_000)


PROFILE = (
    "You keep the picture of one user. `known` holds working_memory, a narrative of what the user "
    "is about now, and scaffold, a JSON profile with keys of your own making. The lines are new "
    "observations, oldest first, each with its kind in brackets. Answer with updated_working_memory: "
    "the narrative written anew, in the third person, on the present context, projects and "
    "priorities, at most {words} words, what is over left out; updated_scaffold: an object of the "
    "keys that change, nested as you see fit, null for a key that holds no more, the others left "
    "out; facts_to_embed: single facts worth finding later, one self-contained sentence each. A "
    "correction beats what is older; what is newer beats what is older. Add nothing that was not "
    "observed, and no secrets."
)


def profile(lines: Sequence[Line], known: str, words: int) -> Task[ProfileUpdate]:
    """Ask for the picture of a user after new observations; `known` is the one so far, as JSON."""
    instructions = PROFILE.format(words=words)
    return Task(Purpose.PROFILE, "profile-1", instructions, lines, ProfileUpdate, known, 4_000)
