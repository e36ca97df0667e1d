"""The offline model's answers about learning: found by wording, sorted by rule, never inferred."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from extraction.contracts.learning import MOST_CANDIDATES, QUOTE_CHARACTERS
from extraction.rules import life_cues, rule_cues
from extraction.rules.digest import digest
from extraction.rules.sentences import Sentence, sentences
from providers.chat import Answer, Purpose, Task
from ranking.similarity import jaccard
from ranking.tokens import meaningful, tokens

AT_ONCE = frozenset({"relationship", "preference", "coping_strategy", "goal"})
PASSING = re.compile(
    r"\b(?:today|right now|at the moment|this (?:morning|evening|week)|tonight|just now|heute|gerade|"
    r"hoy|ahora mismo|aujourd'hui|en ce moment)\b",
    re.IGNORECASE,
)
CORRECTION = re.compile(
    r"\b(?:actually|no longer|not .{1,30} any ?more|anymore|instead|i meant|correction|sorry, |now|changed|"
    r"moved|eigentlich|nicht mehr|jetzt|stattdessen|ya no|ahora|en realidad|ne .{1,30} plus|maintenant|en fait)\b",
    re.IGNORECASE,
)
KIND_OF_RULE = [
    set(words.split())
    for words in (
        "bref breve brief briefly concise detail detailed kurz lang length long short",
        "appelle call llámame name nenn",
        "deutsch englisch english español français french german language spanish",
        "emoji emojis",
        "bullet bullets list lists prose",
        "duz formal informal siez tutoie vouvoie",
    )
]
SMALL_TALK = frozenset(
    [
        "hi",
        "hello",
        "hey",
        "yo",
        "thanks",
        "thank",
        "you",
        "bye",
        "goodbye",
        "good",
        "morning",
        "evening",
        "night",
        "how",
        "are",
        "is",
        "it",
        "going",
        "ok",
        "okay",
        "yes",
        "no",
        "yeah",
        "sure",
        "great",
        "nice",
        "cool",
        "lol",
        "test",
        "testing",
        "what's",
        "up",
        "hallo",
        "danke",
        "tschüss",
        "hola",
        "gracias",
        "adiós",
        "bonjour",
        "merci",
        "salut",
        "ciao",
        "well",
        "fine",
        "and",
    ]
)
SMALL_CHARACTERS = 40
LEAST_TURNS = 3
SUMMARY_WORDS = 80
BAD = frozenset(
    [
        "sad",
        "anxious",
        "worried",
        "afraid",
        "stressed",
        "angry",
        "lonely",
        "tired",
        "terrible",
        "awful",
        "bad",
        "upset",
        "nervous",
        "overwhelmed",
        "traurig",
        "müde",
        "ängstlich",
        "triste",
        "cansado",
        "inquiet",
        "fatigué",
    ]
)
GOOD = frozenset(
    [
        "happy",
        "glad",
        "better",
        "relieved",
        "calm",
        "good",
        "great",
        "excited",
        "proud",
        "fine",
        "hopeful",
        "froh",
        "besser",
        "ruhig",
        "feliz",
        "contento",
        "mejor",
        "heureux",
        "mieux",
        "calme",
    ]
)
OPEN = re.compile(
    r"\b(?:i (?:still )?(?:need|have) to|next (?:week|month|time)|tomorrow|later|not yet|todo)\b",
    re.IGNORECASE,
)
DONE = re.compile(
    r"\b(?:solved|done|finished|sorted|works now|it worked|figured (?:it )?out)\b", re.IGNORECASE
)
REASON = "By wording."


def semantic_extraction(task: Task[Answer]) -> Mapping[str, object]:
    # How someone wishes to be answered is a rule, and no fact of their life.
    said = [one.text for one in _last(task) if not rule_cues.rule_in(one.text)]
    facts = [_fact(text, found) for text in said for found in life_cues.find(text)]
    return {"facts": facts[:MOST_CANDIDATES], "reason": REASON}


def procedural_extraction(task: Task[Answer]) -> Mapping[str, object]:
    found = [(one.text, rule_cues.rule_in(one.text)) for one in _last(task)]
    rules = [
        {
            "rule": rule,
            "evidence": [_quote(text)],
            "confidence": "high" if rule_cues.DURABLE.search(text) else "medium",
        }
        for text, rule in found
        if rule
    ]
    return {"rules": rules[:MOST_CANDIDATES], "reason": REASON}


def semantic_policy(task: Task[Answer]) -> Mapping[str, object]:
    candidate = _object(task.known)
    quote, category = str(candidate.get("quote", "")), candidate.get("category")
    if PASSING.search(quote) and category not in {"loss", "goal"}:
        return _ruled("require_repetition", "low")
    if rule_cues.HEDGED.search(quote):
        return _ruled("require_repetition", "low")
    return _ruled("commit_now" if category in AT_ONCE else "commit_at_session_end", "high")


def procedural_policy(task: Task[Answer]) -> Mapping[str, object]:
    candidate = _object(task.known)
    evidence = candidate.get("evidence")
    said = " ".join(map(str, evidence if isinstance(evidence, list) else []))
    conflict = {"safety_conflict": bool(rule_cues.SAFETY.search(said))}
    if conflict["safety_conflict"]:
        return _ruled("drop", "high") | conflict
    if rule_cues.TURN_SCOPED.search(said) and not rule_cues.DURABLE.search(said):
        return _ruled("drop", "high") | conflict
    is_explicit = rule_cues.DURABLE.search(said) is not None
    return _ruled("commit_now" if is_explicit else "commit_at_session_end", "high") | conflict


def semantic_reconciliation(task: Task[Answer]) -> Mapping[str, object]:
    said = task.lines[-1].text if task.lines else ""
    new, quote = _parts(said)
    alike: list[int] = []
    for index, record in enumerate(_list(task.known)):
        old, _ = _parts(record)
        if jaccard(meaningful(new), meaningful(old)) >= 0.8:
            return _matched("bump", "record_indexes", [index])
        is_single = _topic(new) is not None and _topic(new) == _topic(old)
        shares = set(meaningful(quote)) & set(meaningful(old))
        if is_single or (CORRECTION.search(quote) and shares) or _is_opposite(new, old):
            alike.append(index)
    return _matched("supersede" if alike else "coexist", "record_indexes", alike)


def procedural_reconciliation(task: Task[Answer]) -> Mapping[str, object]:
    new = task.lines[-1].text if task.lines else ""
    same: list[int] = []
    for index, rule in enumerate(_list(task.known)):
        if jaccard(tokens(new), tokens(rule)) >= 0.8:
            return _matched("skip", "replace_indexes", [])
        if any(kind & set(tokens(new)) and kind & set(tokens(rule)) for kind in KIND_OF_RULE):
            same.append(index)
    return _matched("replace" if same else "append", "replace_indexes", same)


def arc(task: Task[Answer]) -> Mapping[str, object]:
    said = [one for one in sentences(task.lines) if one.speaker == "User"]
    turns = {one.ref for one in said if is_substantive(one.text)}
    if len(turns) < LEAST_TURNS:
        return {"arc": None, "reason": "Fewer than three substantive turns."}
    summary = digest(sentences(task.lines), SUMMARY_WORDS).text or said[0].text
    found = {
        "summary": " ".join(summary.split())[:600],
        "primary_themes": _themes(said),
        "mood_opened": _mood(said[: len(said) // 2]),
        "mood_closed": _mood(said[len(said) // 2 :]),
        "open_loops": [one.text[:80] for one in said if OPEN.search(one.text)][:5],
        "resolved_threads": [one.text[:80] for one in said if DONE.search(one.text)][:5],
    }
    return {"arc": found, "reason": REASON}


def is_substantive(text: str) -> bool:
    """Say whether a line is more than small talk."""
    return len(text) > SMALL_CHARACTERS or bool(set(tokens(text)) - SMALL_TALK)


def _last(task: Task[Answer]) -> Iterator[Sentence]:
    """Yield the sentences of the current message, if a user said it."""
    return (one for one in sentences(task.lines[-1:]) if one.speaker == "User")


def _fact(text: str, found: life_cues.CueMatch) -> dict[str, object]:
    return {
        "category": found.cue.category,
        "subject": {"type": "User", "identifier": "user"},
        "predicate": found.cue.predicate,
        "object": {"type": found.cue.kind, "identifier": found.object},
        "evidence_quote": _quote(text),
        "confidence": "low" if rule_cues.HEDGED.search(text) else "high",
    }


def _quote(text: str) -> str:
    return text[:QUOTE_CHARACTERS].strip()


def _ruled(action: str, confidence: str) -> dict[str, object]:
    return {"action": action, "reason": REASON, "confidence": confidence}


def _matched(action: str, name: str, indexes: Sequence[int]) -> dict[str, object]:
    return {"action": action, name: list(indexes), "reason": REASON, "confidence": "high"}


def _parts(rendered: str) -> tuple[str, str]:
    """Return a rendered fact's object and its quote."""
    head, _, quote = rendered.partition("'")
    bare = re.sub(r"\A(?:\[\w+\] )?(?:.*? )??[A-Z_]{4,} ", "", head)
    return bare.strip(" :—-"), quote.rstrip("'")


def _topic(said: str) -> str | None:
    """Return what only one value holds of, such as where someone lives; None for other objects."""
    found = re.match(r"(lives in|works:|is called|favourite [\w ]+:)", said)
    if found:
        return found[1]
    kin = re.fullmatch(
        rf"({life_cues.KIN}|{life_cues.KIN_DE}|{life_cues.KIN_ES}|{life_cues.KIN_FR}) [A-Z].*", said
    )
    return (
        kin[1]
        if kin and kin[1].lower() not in {"friend", "sister", "brother", "cat", "dog"}
        else None
    )


def _is_opposite(new: str, old: str) -> bool:
    likes, dislikes = "likes ", "dislikes "
    pairs = ((likes, dislikes), (dislikes, likes))
    return any(
        new.startswith(one)
        and old.startswith(other)
        and jaccard(meaningful(new.removeprefix(one)), meaningful(old.removeprefix(other))) >= 0.5
        for one, other in pairs
    )


def _themes(said: Sequence[Sentence]) -> list[str]:
    counted: dict[str, int] = {}
    for one in said:
        for word in set(meaningful(one.text)):
            if len(word) > 3:
                counted[word] = counted.get(word, 0) + 1
    ranked = sorted(counted, key=lambda word: (-counted[word], word))
    return [word[:80] for word in ranked[:3]]


def _mood(said: Sequence[Sentence]) -> str:
    words = {word for one in said for word in tokens(one.text)}
    if words & BAD and not words & GOOD:
        return "troubled"
    return "good" if words & GOOD else "even"


def _object(text: str) -> Mapping[str, object]:
    found = _json(text)
    return found if isinstance(found, dict) else {}


def _list(text: str) -> list[str]:
    found = _json(text)
    return [str(item) for item in found] if isinstance(found, list) else []


def _json(text: str) -> object:
    try:
        found: object = json.loads(text)
    except ValueError:
        return None
    return found


LEARNING: dict[Purpose, Callable[[Task[Answer]], Mapping[str, object]]] = {
    Purpose.SEMANTIC_EXTRACTION: semantic_extraction,
    Purpose.PROCEDURAL_EXTRACTION: procedural_extraction,
    Purpose.SEMANTIC_POLICY: semantic_policy,
    Purpose.PROCEDURAL_POLICY: procedural_policy,
    Purpose.SEMANTIC_RECONCILIATION: semantic_reconciliation,
    Purpose.PROCEDURAL_RECONCILIATION: procedural_reconciliation,
    Purpose.ARC: arc,
}
