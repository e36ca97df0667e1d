"""The offline model's picture of a user: observations sorted by wording, never inferred."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from extraction.contracts.profile import FACT_CHARACTERS, MOST_FACTS
from extraction.rules.profile_cues import Claim, affirmed, claims, denied
from extraction.rules.sentences import clip, split
from providers.chat import Answer, Line, Purpose, Task
from ranking.passages import size
from ranking.similarity import jaccard, token_recall
from ranking.tokens import meaningful, tokens

OBSERVATION = re.compile(r"\A- \[(?P<type>[a-z_]{1,50})\] (?P<text>.*)\Z", re.DOTALL)
NARRATIVE_WORDS = 250
SENTENCE_WORDS = 60
MOST_LISTED = 30
SAME = 0.75
# What W is about: the others are in S and V.
TOLD = ("project_details", "correction", "fact", "scaffold_update", "learned_fact", "preference")
EMBEDDED = frozenset(TOLD) - {"scaffold_update"}
ENDS = (".", "!", "?", "…", "\u3002", "\uff01", "\uff1f")
Data = dict[str, object]


@dataclass(frozen=True, slots=True)
class Observation:
    """`is_data` is an update that came as a JSON object and says where it belongs itself."""

    type: str
    text: str

    @property
    def is_data(self) -> bool:
        return self.text.lstrip().startswith("{") and isinstance(_parsed(self.text), dict)

    @property
    def sentences(self) -> list[str]:
        return [] if self.is_data else list(split(self.text))


def profile(task: Task[Answer]) -> Mapping[str, object]:
    known = _object(_parsed(task.known))
    scaffold, narrative = _object(known.get("scaffold")), str(known.get("working_memory") or "")
    found = [one for line in task.lines for one in _observation(line)]
    changed, gone = _organised(scaffold, found)
    return {
        "updated_scaffold": changed,
        "updated_working_memory": _narrative(narrative, found, gone),
        "facts_to_embed": _facts(found),
    }


PROFILE: dict[Purpose, Callable[[Task[Answer]], Mapping[str, object]]] = {Purpose.PROFILE: profile}


def _observation(line: Line) -> Iterator[Observation]:
    match = OBSERVATION.match(line.text)
    if match and match["text"].strip():
        yield Observation(match["type"], match["text"].strip())


def _organised(scaffold: Data, found: Sequence[Observation]) -> tuple[Data, list[str]]:
    """Return the keys that change, and the old values that hold no more."""
    changed: Data = {}
    gone: list[str] = []
    for one in found:
        if one.is_data:
            changed.update(_object(_parsed(one.text)))
        for sentence in one.sentences:
            wrong = denied(sentence) if one.type == "correction" else ""
            said = affirmed(sentence) if wrong else sentence
            if wrong:
                gone.append(wrong)
                _correct(scaffold, changed, said, wrong)
            for claim in claims(one.type, said):
                old = _claimed(scaffold, changed, claim, wrong)
                gone += [old] if old else []
    return changed, gone


def _correct(scaffold: Data, changed: Data, right: str, wrong: str) -> None:
    """Put a correction wherever what it denies stood, or among the facts where it stood nowhere."""
    now = {**scaffold, **changed}
    found = {key: _corrected(value, right, wrong) for key, value in now.items()}
    stood = {key: value for key, value in found.items() if value != now[key]}
    if stood:
        changed.update(stood)
    elif not any(True for _ in claims("correction", right)):
        changed["Facts"] = _listed(now.get("Facts"), right, wrong)


def _corrected(value: object, right: str, wrong: str) -> object:
    if isinstance(value, dict):
        return {key: _corrected(one, right, wrong) for key, one in value.items()}
    if isinstance(value, list):
        kept = [one for one in value if not _holds(str(one), wrong)]
        return kept if len(kept) == len(value) else [*kept, right]
    return right if isinstance(value, str) and _holds(value, wrong) else value


def _claimed(scaffold: Data, changed: Data, claim: Claim, wrong: str) -> str:
    """Put a claim in its place; return the value that it replaced, empty for none."""
    now = _at(changed, claim.path) or _at(scaffold, claim.path)
    value: object = _listed(now, claim.value, wrong) if claim.adds else claim.value
    top, *rest = claim.path
    changed[top] = {**_object(changed.get(top)), rest[0]: value} if rest else value
    return "" if claim.adds else _replaced(now, claim.value)


def _at(data: Data, path: Sequence[str]) -> object:
    found: object = data
    for key in path:
        found = _object(found).get(key)
    return found


def _replaced(old: object, new: str) -> str:
    return old if isinstance(old, str) and tokens(old) != tokens(new) else ""


def _listed(now: object, value: str, wrong: str) -> list[object]:
    """Return a list with one more; what is said again, and what a correction denies, is in it once or not."""
    old = now if isinstance(now, list) else [now] if isinstance(now, str) and now else []
    others = [
        one
        for one in old
        if not _is_alike(str(one), value) and not (wrong and _holds(str(one), wrong))
    ]
    return [*others, value][-MOST_LISTED:]


def _narrative(known: str, found: Sequence[Observation], gone: Sequence[str]) -> str:
    """Return what was told now, projects first and the newest before the older, then what still holds."""
    told = [
        _clean(sentence)
        for type in TOLD
        for one in reversed(found)
        if one.type == type
        for sentence in one.sentences
        if type == "correction" or not any(_holds(sentence, value) for value in gone)
    ]
    still = [one for one in split(known) if not any(_holds(one, value) for value in gone)]
    kept: list[str] = []
    room = float(NARRATIVE_WORDS)
    for sentence in (*told, *still):
        room -= size(sentence)
        if room < 0:
            break
        if not any(_is_alike(sentence, one) for one in kept):
            kept.append(sentence)
    # Nothing said, and nothing that still holds: what is known stays.
    return " ".join(kept) or known


def _facts(found: Sequence[Observation]) -> list[str]:
    said = [" ".join(one.sentences)[:FACT_CHARACTERS] for one in found if one.type in EMBEDDED]
    return list(dict.fromkeys(text.strip() for text in said if text.strip()))[-MOST_FACTS:]


def _clean(sentence: str) -> str:
    text = clip(sentence.strip(" -*\t"), SENTENCE_WORDS)
    return text[:1].upper() + text[1:] + ("" if text.endswith(ENDS) else ".")


def _is_alike(first: str, second: str) -> bool:
    return tokens(first) == tokens(second) or jaccard(meaningful(first), meaningful(second)) >= SAME


def _holds(text: str, value: str) -> bool:
    return token_recall(tokens(value), tokens(text)) == 1.0


def _object(value: object) -> Data:
    return dict(value) if isinstance(value, dict) else {}


def _parsed(text: str) -> object:
    try:
        found: object = orjson.loads(text)
    except ValueError:
        return None
    return found
