"""What new messages change in memory, by their wording alone: it holds rather than commits.

A statement is the user's own sentence with the day it was said: nothing is concluded from it.
"""

import re
from collections.abc import Iterator, Mapping

from extraction.contracts.turn import MOST_CHANGES, STATEMENT_CHARACTERS
from extraction.rules import life_cues, rule_cues
from extraction.rules.sentences import sentences
from providers.chat import Answer, Line, Task

QUOTE_CHARACTERS = 280
SHORTEST, LONGEST = 3, 60
# Plain enough to count at once, beside what can hold but once (a name, a home, a job); of everything
# else the session must bear it out.
UNMISTAKABLE = "allergic to "
KIND_OF_WORDS = {
    "is called": "identity",
    "lives in": "home",
    "works:": "work",
    "studied": "work",
    "allergic to": "health",
    "has": "health",
    "habit:": "routine",
}
KIND_OF_CATEGORY = {"preference": "preference", "relationship": "relationship", "goal": "plan"}
ASKED = re.compile(
    r"\A(?:(?:please|and|also|oh|ok|bitte|und|por favor|s'il te plaît)[ ,]+)*"
    r"(?:(?:remember|note|keep in mind|don't forget)(?: please)?,? that"
    r"|merk dir(?: bitte)?,? dass|denk daran,? dass|vergiss nicht,? dass"
    r"|recuerda que|no olvides que|souviens-toi que|retiens que|n'oublie pas que"
    r"|запомни,? что|请记住|記住|覚えておいて)\W",
    re.IGNORECASE,
)
# The whole of a sentence: in the midst of one the same words may be about a file.
OFF_THE_RECORD = re.compile(
    r"(?:please |actually |and )*(?:(?:do not|don't) (?:save|store|remember|record|keep) (?:this|that|any of this)"
    r"|(?:this is |keep this |that's |all that is )?off the record|forget (?:what|everything) i (?:just )?said"
    r"|(?:bitte )?merk dir das (?:bitte )?nicht|(?:bitte )?speicher das (?:bitte )?nicht"
    r"|no (?:guardes|recuerdes) (?:esto|eso)|n'enregistre pas (?:ça|cela)|ne retiens pas (?:ça|cela))\W*\Z",
    re.IGNORECASE,
)
USER = {"id": "", "name": "", "kind": "user", "relation": ""}
REASON = "By wording."


def turn(task: Task[Answer]) -> Mapping[str, object]:
    """Return the changes of new lines; what is said to be off the record teaches nothing."""
    new = [line for line in task.lines if line.is_new and line.role == "user"]
    unwanted = list(_unwanted(task))
    found = [one for line in new if line.ref not in unwanted for one in _changes(line, task)]
    act = "off_the_record" if unwanted else "none"
    control = {"act": act, "lines": unwanted, "targets": []}
    return {"changes": found[:MOST_CHANGES], "control": control}


def _unwanted(task: Task[Answer]) -> Iterator[str]:
    """Yield the new lines that ask not to be kept, each with what the user said before it."""
    users = [line for line in task.lines if line.role == "user"]
    for place, line in enumerate(users):
        if line.is_new and any(OFF_THE_RECORD.match(one.text) for one in sentences([line])):
            yield from (one.ref for one in users[max(place - 1, 0) : place + 1])


def _changes(line: Line, task: Task[Answer]) -> Iterator[dict[str, object]]:
    hinted = {str(row.get("line")) for row in task.beside.get("hints", ())}
    if line.ref in hinted:
        return
    for one in sentences([line]):
        if not SHORTEST <= len(one.text.split()) <= LONGEST and one.text.isascii():
            continue
        rule = rule_cues.rule_in(one.text)
        if rule:
            yield _rule(rule, one.text)
        elif ASKED.match(one.text):
            yield _fact(line, one.text, "note", "asked")
        else:
            yield from _found(line, one.text, task)


def _rule(rule: str, said: str) -> dict[str, object]:
    is_explicit = rule_cues.DURABLE.search(said) is not None
    return {
        **_fact(Line("", "user", said), said, "", "stated" if is_explicit else "implied"),
        "lane": "rule",
        "statement": rule,
        "durability": "passing" if rule_cues.TURN_SCOPED.search(said) else "lasting",
        "sensitivity": "unsafe" if rule_cues.SAFETY.search(said) else "ordinary",
    }


def _found(line: Line, said: str, task: Task[Answer]) -> Iterator[dict[str, object]]:
    for found in life_cues.find(said):
        is_sure = found.cue.single or found.object.startswith(UNMISTAKABLE)
        is_plain = is_sure and not rule_cues.HEDGED.search(said)
        kind = next(
            (kind for words, kind in KIND_OF_WORDS.items() if found.object.startswith(words)),
            KIND_OF_CATEGORY.get(found.cue.category.value, "event"),
        )
        change = _fact(line, said, kind, "stated" if is_plain else "implied")
        earlier = _earlier(found, task) if is_plain and found.cue.single else []
        yield {**change, **({"op": "revise", "targets": earlier} if earlier else {})}


def _earlier(found: life_cues.CueMatch, task: Task[Answer]) -> list[str]:
    """Return the known facts of which only one holds at a time, said in the same words."""
    topic = found.cue.says.partition("{")[0]
    return [
        str(row["id"])
        for row in task.beside.get("facts", ())
        for known in life_cues.find(str(row.get("fact", "")).partition('"')[2].rstrip('"'))
        if topic and known.object.startswith(topic)
    ][:1]


def _fact(line: Line, said: str, kind: str, basis: str) -> dict[str, object]:
    day = f" on {line.at[:10]}" if line.at else ""
    return {
        "reason": REASON,
        "op": "add",
        "targets": [],
        "lane": "fact",
        "about": USER,
        "statement": f'The user said{day}: "{said}"'[:STATEMENT_CHARACTERS],
        "kind": kind,
        "happened": None,
        "holds_until": None,
        "durability": "lasting",
        "basis": basis,
        "quote": said[:QUOTE_CHARACTERS],
        "question": "",
        "sensitivity": "ordinary",
        "sure": "high",
    }
