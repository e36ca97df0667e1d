"""What the chat model is asked, and under which version; the wording is ours alone."""

from collections.abc import Sequence

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
    "Be dense; at most 200 words."
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


def memory_delta(lines: Sequence[Line], known: str) -> Task[Delta]:
    """Ask for a change of the reference summary `known`."""
    return Task(Purpose.MEMORY_DELTA, "delta-1", MEMORY_DELTA, lines, Delta, known, 2_000)


def summary(lines: Sequence[Line], known: str) -> Task[Summary]:
    """Ask for a summary that replaces `known`, the one so far."""
    return Task(Purpose.SUMMARY, "summary-1", SUMMARY, lines, Summary, known)


def session_summary(lines: Sequence[Line], known: str) -> Task[SessionSummary]:
    return Task(Purpose.SESSION_SUMMARY, "session-1", SESSION_SUMMARY, lines, SessionSummary, known)
