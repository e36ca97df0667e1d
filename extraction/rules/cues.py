"""What a user said that lasts, found by its wording."""

import re
from collections.abc import Iterable, Iterator

from extraction.rules.sentences import Sentence, clip
from providers.answers import KEY_CHARACTERS, MOST_FACTS, FactKind, FoundFact
from ranking.tokens import IS_DENSE, RUN, fold, meaningful

KEY_WORDS = 8
VALUE_WORDS = 100
DENSE_CHARACTERS = 16
ADVERBS = r"(?:(?:really|also|always|usually|still|just|do) )*"
HAVE = r"(?: have|'ve)?"
# English in full; of other languages the commonest words. The first category that fits is taken.
CUES: dict[FactKind, re.Pattern[str]] = {
    FactKind.DECISION: re.compile(
        rf"\b(?:i|we){HAVE} (?:finally )?(?:decided|agreed|chose|chosen|settled)\b"
        r"|\bwe(?:'ll| will| shall| are going to|'re going to) (?:use|take|go|keep|do|move)\b"
        r"|\blet's (?:use|go with|take|keep)\b|\bdecision\b"
        r"|\bwir (?:nehmen|haben entschieden)|\bhemos decidido|\bnous avons décidé"
        r"|мы решили|决定|決め"
    ),
    FactKind.PREFERENCE: re.compile(
        rf"\bi {ADVERBS}(?:like|love|prefer|enjoy|hate|dislike|adore)\b"
        r"|\bi (?:don't|do not|can't|cannot|never) (?:like|stand|eat|drink|want)\b"
        r"|\bfavou?rite\b|\bplease (?:always|never)\b"
        r"|\bich (?:mag|liebe|hasse|bevorzuge)|\bme (?:gusta|encanta)|\bprefiero\b"
        r"|\bj'(?:aime|adore)|\bje préfère|я (?:люблю|предпочитаю)|мне нравится"
        r"|喜欢|喜歡|好き|嫌い|좋아"
    ),
    FactKind.FACT: re.compile(
        rf"\bi(?: am|'m) |\bi {ADVERBS}(?:live|work|need|want|own|study|was born|moved|speak)\b"
        rf"|\bi(?: have|'ve got) (?:a|an|two|three|\d)|\bmy (?:[^\W_]+ ){{1,4}}(?:is|are|was|has)\b"
        r"|\b(?:call me|remember(?: that)?)\b"
        r"|\bich (?:bin|heiße|wohne|arbeite)|\bmein|\bme llamo|\b(?:soy|vivo)\b|\bmi \w+ es"
        r"|\bje (?:suis|m'appelle|travaille)|\bj'habite|\bmon |\bma "
        r"|меня зовут|я (?:живу|работаю)|\b(?:мой|моя|мои)\b|我是|我叫|我住|我的|私は|私の|저는"
    ),
}
# Of these there is one at a time: what is said later takes its place.
SINGLE = re.compile(
    r"\bmy ((?:[^\W_]+'s )?(?:favou?rite [^\W_]+|name|birthday|e-?mail|address|phone number"
    r"|job|age|time ?zone)) (?:is|are)\b|\bi (live) in\b"
)
# A date, a number or a name within a sentence; looked for in the text as it was written.
DETAIL = re.compile(r"\d|(?<=[^\W\d_A-Z] )[A-Z][a-z]+|(?<=, )[A-Z][a-z]+")
QUESTION = re.compile(r"[?\uff1f\u061f]['\"\u2019\u201d)]*\Z")


def facts(found: Iterable[Sentence]) -> list[FoundFact]:
    """Return at most 50 facts in order, those with a cue before mere details; the latest of a key."""
    by_key = {fact.key: fact for fact in _all(found)}
    order = {key: place for place, key in enumerate(by_key)}
    weighed = sorted(by_key.values(), key=lambda fact: fact.category is FactKind.CONTEXT)
    return sorted(weighed[:MOST_FACTS], key=lambda fact: order[fact.key])


def _all(found: Iterable[Sentence]) -> Iterator[FoundFact]:
    for one in found:
        category = _category(one.text) if one.speaker == "User" else None
        key = _key(one.text) if category else ""
        if category and key:
            yield FoundFact(
                key=key,
                value=clip(one.text, VALUE_WORDS),
                category=category,
                source_event=one.ref,
            )


def _category(text: str) -> FactKind | None:
    if QUESTION.search(text):
        return None
    folded = _plain(text)
    for category, cue in CUES.items():
        if cue.search(folded):
            return category
    return FactKind.CONTEXT if DETAIL.search(text) else None


def _key(text: str) -> str:
    single = SINGLE.search(_plain(text))
    return (single[1] or single[2]) if single else _first_words(text)


def _plain(text: str) -> str:
    return fold(text).replace("\u2019", "'")


def _first_words(text: str) -> str:
    said = set(meaningful(text))
    runs = (run for run in RUN.findall(fold(text)) if run in said or IS_DENSE.match(run))
    words = (run[:DENSE_CHARACTERS] if IS_DENSE.match(run) else run for run in runs)
    return " ".join(list(dict.fromkeys(words))[:KEY_WORDS])[:KEY_CHARACTERS].strip()
