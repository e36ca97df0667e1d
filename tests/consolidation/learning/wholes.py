"""Replies about a turn that is asked about as a whole."""

import json

from consolidation.intake.accept import accept_events
from memory.messages import Draft
from tests.factories import said

USER = {"id": "", "name": "", "kind": "user", "relation": ""}
NONE = {"act": "none", "lines": [], "targets": []}


def person(name: str = "", relation: str = "", id: str = "", kind: str = "person") -> dict:
    return {"id": id, "name": name, "kind": kind, "relation": relation}


def change(statement: str = "", quote: str = "", **fields) -> dict:
    """Return a change that adds a plain lasting fact of the user, but for the given fields."""
    return {
        "reason": "Plain and lasting.",
        "op": "add",
        "targets": [],
        "lane": "fact",
        "about": USER,
        "statement": statement,
        "kind": "work",
        "happened": None,
        "holds_until": None,
        "durability": "lasting",
        "basis": "stated",
        "quote": quote,
        "question": "",
        "sensitivity": "ordinary",
        "sure": "high",
        **fields,
    }


def rule(statement: str, quote: str, **fields) -> dict:
    return change(statement, quote, **{"lane": "rule", "kind": "", **fields})


def reply(*changes: dict, control: dict = NONE) -> str:
    return json.dumps({"changes": list(changes), "control": control})


def off_the_record(*lines: str) -> dict:
    return {"act": "off_the_record", "lines": list(lines), "targets": []}


def talk(session, *texts: str) -> None:
    """Let the user and the assistant say texts in turn, at one request."""
    roles = ("user", "assistant")
    drafts: list[Draft] = [said(text, roles[place % 2]) for place, text in enumerate(texts)]
    accept_events(agent=session.owner.agent, session=session, drafts=drafts)
