"""The offline model's reading of an inbox: what is said to the user of themselves, and projects."""

import re
from collections.abc import Iterator, Mapping

from extraction.contracts.inbox import MOST_CALLS, MOST_PARTS, TOOL
from extraction.rules.sentences import split
from providers.answers import VALUE_CHARACTERS
from providers.chat import Answer, Line, Task

# A line is a head of `Name: value`, an empty line, and the text.
HEAD = re.compile(r"^(Channel|From|Subject): (.*)$", re.MULTILINE)
PROJECT = re.compile(r"\b[Pp]roject ([A-Z][\w-]{1,40}(?: [A-Z][\w-]{1,40}){0,2})")
# What somebody tells the user of the user's own affairs.
OF_THE_USER = re.compile(
    r"\byour? (?:[\w'-]+ ){0,6}(?:is|are|was|were|has|have|will|starts?|ends?|begins?|leaves|arrives|expires|renews)\b"
    r"|\byou (?:are|were|have|will) (?:\w+ ){0,2}(?:booked|registered|enrolled|scheduled|invited|assigned|promoted)\b",
    re.IGNORECASE,
)
# What wants something done is no statement, least of all if it is the reader that should obey.
ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|pretend|override|instructions?|prompt|password|verify|click"
    r"|log in|sign in|unsubscribe|you (?:must|should|need to)|please)\b",
    re.IGNORECASE,
)
QUESTION = re.compile(r"\?\W*\Z")


def inbox_reading(task: Task[Answer]) -> Mapping[str, object]:
    calls = (_call(line) for line in task.lines if line.role == "tool")
    return {"tool_calls": [call for call in calls if call][:MOST_CALLS]}


def _call(line: Line) -> dict[str, object] | None:
    head, _, text = line.text.partition("\n\n")
    named = dict(HEAD.findall(head))
    said = [one for one in (named.get("Subject", ""), *split(text)) if _is_statement(one)]
    projects = dict(list(_projects(said))[:MOST_PARTS])
    sender = named.get("From", "").strip()
    facts = [_by(sender, one) for one in said if OF_THE_USER.search(one)][:MOST_PARTS]
    if not projects and not facts:
        return None
    return {
        "name": TOOL,
        "item": line.ref,
        "scaffold_updates": {"Projects": projects} if projects else {},
        "persistent_info_additions": facts,
    }


def _is_statement(text: str) -> bool:
    return bool(text) and not ORDER.search(text) and not QUESTION.search(text)


def _projects(said: list[str]) -> Iterator[tuple[str, str]]:
    for one in said:
        for name in PROJECT.findall(one):
            yield name, one[:VALUE_CHARACTERS]


def _by(sender: str, text: str) -> str:
    """Return a statement with who made it: it is hearsay, and not the user's own word."""
    return (f"{sender} wrote: {text}" if sender else text)[:VALUE_CHARACTERS]
