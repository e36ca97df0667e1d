"""The offline model's picture of a user: observations sorted by wording, never inferred."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from extraction.contracts.profile import FACT_CHARACTERS, MOST_CHANGES, MOST_FACTS
from extraction.rules.profile_cues import CuedValue, affirmed, claims, denied, is_of_user
from extraction.rules.sentences import clip, split
from providers.chat import Answer, Line, Purpose, Task
from ranking.passages import size
from ranking.similarity import jaccard, token_recall
from ranking.tokens import meaningful, tokens

OBSERVATION = re.compile(
    r"\A- \[(?P<type>[a-z_]{1,50})\] (?:\d{4}-\d\d-\d\d, [^:]{1,40}: )?(?P<text>.*)\Z", re.DOTALL
)
# Of a fact that was learned, the user's own words behind it.
QUOTED = re.compile(r" \u2014 \"(?P<quote>.+)\"\Z", re.DOTALL)
NARRATIVE_WORDS = 250
SENTENCE_WORDS = 60
SAME = 0.75
# What W is about: the others are in S and V.
TOLD = ("project_details", "correction", "fact", "scaffold_update", "learned_fact", "preference")
OF_USER = frozenset({"project_details", "correction", "preference"})
EMBEDDED = frozenset(TOLD) - {"scaffold_update"}
ENDS = (".", "!", "?", "…", "\u3002", "\uff01", "\uff1f")
Data = dict[str, object]


@dataclass(frozen=True, slots=True)
class Observation:
    """`is_data` is an update that came as a JSON object and says where it belongs itself."""

    ref: str
    type: str
    text: str
    is_own: bool

    @property
    def is_data(self) -> bool:
        return self.text.lstrip().startswith("{") and isinstance(_parsed(self.text), dict)

    @property
    def sentences(self) -> list[str]:
        return [] if self.is_data else list(split(self.text))

    @property
    def told(self) -> list[str]:
        """The sentences that are about the user."""
        is_about = self.is_own and self.type in OF_USER
        return [text for text in self.sentences if is_about or is_of_user(text)]


@dataclass(slots=True)
class KnownPicture:
    """What is known, as the rules read it; texts by their ids."""

    scaffold: Data = field(default_factory=dict)
    told: list[tuple[str, str]] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)


def profile(task: Task[Answer]) -> Mapping[str, object]:
    known = _known(task.known)
    observed = [one for line in task.lines for one in _observation(line)]
    changes, wrong = _changes(known.scaffold, observed)
    values = [value for value, _ in wrong]
    return {
        "updated_scaffold": changes[:MOST_CHANGES],
        "updated_working_memory": _narrative(known.told, observed, values),
        "facts_to_embed": _facts(observed),
        "retire": [
            {"id": id, "refs": [ref]}
            for id, text in known.texts
            for value, ref in wrong
            if _holds(text, value)
        ],
    }


def tidying(task: Task[Answer]) -> Mapping[str, object]:
    return {"renames": []}


PROFILE: dict[Purpose, Callable[[Task[Answer]], Mapping[str, object]]] = {
    Purpose.PROFILE: profile,
    Purpose.PROFILE_TIDYING: tidying,
}


def _known(text: str) -> KnownPicture:
    said = _object(_parsed(text))
    told = said.get("working_memory")
    items = [_object(one) for one in told] if isinstance(told, list) else [{"text": told or ""}]
    return KnownPicture(
        _object(said.get("scaffold")),
        [
            (str(one.get("id") or ""), sentence)
            for one in items
            for sentence in split(str(one.get("text") or ""))
        ],
        [
            (str(one.get("id") or ""), str(one.get("text") or ""))
            for name in ("documents", "learned")
            for one in map(_object, _list(said.get(name)))
        ],
    )


def _observation(line: Line) -> Iterator[Observation]:
    match = OBSERVATION.match(line.text)
    if match and match["text"].strip():
        text = match["text"].strip()
        quoted = QUOTED.search(text)
        words = quoted["quote"] if quoted else text
        yield Observation(line.ref, match["type"], words, line.role == "user")


def _changes(
    scaffold: Data, observed: Sequence[Observation]
) -> tuple[list[Data], list[tuple[str, str]]]:
    """Return the changes, and the old values that hold no more, each with what says so."""
    changes: list[Data] = []
    wrong: list[tuple[str, str]] = []
    for one in observed:
        if one.is_data:
            pairs = _object(_parsed(one.text)).items()
            changes += [_change("set", [key], value, one.ref) for key, value in pairs]
        for sentence in one.sentences if one.is_own else one.told:
            old = denied(sentence) if one.type == "correction" else ""
            said = affirmed(sentence) if old else sentence
            if old:
                wrong.append((old, one.ref))
                right = _corrected(scaffold, [], said, old, one.ref)
                changes += right or _unplaced(said, one.ref)
            for claim in claims(one.type, said):
                changes.append(_claimed(scaffold, claim, one.ref))
                before = _at(scaffold, claim.path)
                if (
                    not claim.adds
                    and isinstance(before, str)
                    and tokens(before) != tokens(claim.value)
                ):
                    wrong.append((before, one.ref))
    return changes, wrong


def _unplaced(said: str, ref: str) -> list[Data]:
    """Return what keeps a correction of what stood nowhere, where nothing else places it."""
    is_placed = any(True for _ in claims("correction", said)) or not is_of_user(said)
    return [] if is_placed else [_change("add", ["Facts"], said, ref)]


def _corrected(value: object, path: Sequence[str], right: str, old: str, ref: str) -> list[Data]:
    """Return what puts a correction wherever what it denies stood."""
    if isinstance(value, dict):
        below = (_corrected(one, [*path, key], right, old, ref) for key, one in value.items())
        return [change for changes in below for change in changes]
    if isinstance(value, list):
        going = [one for one in value if _holds(str(one), old)]
        if not going:
            return []
        return [_change("add", path, [right], ref), _change("remove", path, going, ref)]
    is_denied = isinstance(value, str) and _holds(value, old)
    return [_change("set", path, right, ref)] if is_denied else []


def _claimed(scaffold: Data, claim: CuedValue, ref: str) -> Data:
    now = _at(scaffold, claim.path)
    members = now if isinstance(now, list) else []
    alike = next((one for one in members if _is_alike(str(one), claim.value)), claim.value)
    if claim.adds:
        return _change("confirm" if alike in members else "add", claim.path, alike, ref)
    return _change("set", claim.path, claim.value, ref)


def _change(op: str, path: Sequence[str], value: object, ref: str) -> Data:
    keys = (key.replace("~", "~0").replace("/", "~1") for key in path)
    return {"op": op, "path": "/" + "/".join(keys), "value": value, "refs": [ref]}


def _at(data: Data, path: Sequence[str]) -> object:
    found: object = data
    for key in path:
        found = _object(found).get(key)
    return found


def _narrative(
    known: Sequence[tuple[str, str]], observed: Sequence[Observation], wrong: Sequence[str]
) -> list[Data]:
    """Return what was told now, projects first and the newest before the older, then what still holds."""
    told = [
        (one.ref, _clean(sentence))
        for type in TOLD
        for one in reversed(observed)
        if one.type == type
        for sentence in one.told
        if type == "correction" or not any(_holds(sentence, value) for value in wrong)
    ]
    still = [(id, text) for id, text in known if not any(_holds(text, value) for value in wrong)]
    kept: dict[str, list[str]] = {}
    room = float(NARRATIVE_WORDS)
    for ref, sentence in (*told, *still):
        same = next((text for text in kept if _is_alike(sentence, text)), None)
        if same is not None:
            kept[same].append(ref)
            continue
        room -= size(sentence)
        if room < 0:
            break
        kept[sentence] = [ref]
    # Nothing said, and nothing that still holds: what is known stays.
    kept = kept or {text: [id] for id, text in known}
    return [
        {"text": text, "refs": [ref for ref in refs if ref][:20]} for text, refs in kept.items()
    ]


def _facts(observed: Sequence[Observation]) -> list[Data]:
    said = {
        text: one.ref
        for one in observed
        if one.type in EMBEDDED and (text := " ".join(one.sentences)[:FACT_CHARACTERS].strip())
    }
    facts: list[Data] = [{"statement": text, "refs": [ref]} for text, ref in said.items()]
    return facts[-MOST_FACTS:]


def _clean(sentence: str) -> str:
    text = clip(sentence.strip(" -*\t"), SENTENCE_WORDS)
    return text[:1].upper() + text[1:] + ("" if text.endswith(ENDS) else ".")


def _is_alike(first: str, second: str) -> bool:
    return tokens(first) == tokens(second) or jaccard(meaningful(first), meaningful(second)) >= SAME


def _holds(text: str, value: str) -> bool:
    return token_recall(tokens(value), tokens(text)) == 1.0


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _object(value: object) -> Data:
    return dict(value) if isinstance(value, dict) else {}


def _parsed(text: str) -> object:
    try:
        found: object = orjson.loads(text)
    except ValueError:
        return None
    return found
